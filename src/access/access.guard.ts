import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { accessOf } from './access.decorators.js';
import type { AdminContext, OrganizationScope, RequestContext } from '../common/context/request-context.js';
import { errorCatalogue } from '../common/errors/error-catalogue.js';
import { ServiceError } from '../common/errors/service-error.js';
import { clientAddress, isWithin } from '../common/http/client-address.js';
import { bearerCredential, type ServedRequest } from '../common/http/served-request.js';
import { ApiKeyAuthentication, TokenAuthentication } from './authentication.js';
import { AuthenticationFailures } from './authentication-failures.js';

/** How long an authentication is trusted, in milliseconds. */
const trustedMilliseconds = 300;

/**
 * Authenticates the caller as the route's access decorator demands; a route without one is closed.
 * @throws ServiceError 40101 or 42902 on public routes, 40102 or 40303 on admin routes
 */
@Injectable()
export class AccessGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    private readonly keys: ApiKeyAuthentication,
    private readonly tokens: TokenAuthentication,
    private readonly failures: AuthenticationFailures,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<ServedRequest>();
    const access = accessOf(this.reflector, context);
    if (access === undefined) throw new ServiceError(errorCatalogue.routeNotFound);
    request.operation = context.getHandler().name;
    if (access.kind === 'integration')
      request.integrationContext = await withWriteConditions(request, () => this.authenticateKey(request));
    if (access.kind === 'admin') {
      request.adminContext = await withWriteConditions(request, () => this.authenticateAdmin(request));
      if (!access.roles.includes(request.adminContext.user.role)) throw new ServiceError(errorCatalogue.roleForbidden);
    }
    return true;
  }

  private async authenticateKey(request: ServedRequest): Promise<RequestContext> {
    const presented = bearerCredential(request.headers.authorization);
    const holder = presented === undefined ? null : await this.keys.identify(presented);
    const { requestId } = request;
    if (holder === null) throw await this.failures.refusal({ address: clientAddress(request), requestId });
    const { organization, actingUser, apiKey, allowedAddresses } = holder;
    if (allowedAddresses !== undefined) {
      const address = clientAddress(request);
      if (!isWithin(address, allowedAddresses)) {
        throw await this.failures.refusal({ address, requestId }, fromElsewhere(address));
      }
    }
    this.keys.recordUse(apiKey.id);
    return { organization, actingUser, apiKey, requestId };
  }

  private async authenticateAdmin(request: ServedRequest): Promise<AdminContext> {
    const token = bearerCredential(request.headers.authorization);
    const user = token === undefined ? null : await this.tokens.identify(token);
    if (user === null) throw new ServiceError(errorCatalogue.invalidLogin);
    return { user, requestId: request.requestId, address: clientAddress(request) };
  }
}

/**
 * Authenticates a request and adds what must hold before each of its writes: it has time left, and an authentication that
 * began more than 300 ms ago is repeated.
 */
async function withWriteConditions<Context>(
  { deadlineSignal: signal }: ServedRequest,
  authenticate: () => Promise<Context>,
): Promise<Context & Pick<OrganizationScope, 'signal' | 'confirmAccess'>> {
  let authenticatedAt = performance.now();
  const context = await authenticate();
  const confirmAccess = async (): Promise<void> => {
    const now = performance.now();
    if (now - authenticatedAt < trustedMilliseconds) return;
    await authenticate();
    authenticatedAt = now;
  };
  return { ...context, confirmAccess, ...(signal && { signal }) };
}

/** A valid key from a wrong address: the message names the address, as it may be a new proxy's. */
function fromElsewhere(address: string): ServiceError {
  return new ServiceError(errorCatalogue.addressForbidden, {
    message: `The API key may not be used from ${address}`,
  });
}
