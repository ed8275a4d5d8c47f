import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { ApiKeyAuthenticator } from '../api-keys/api-key-authenticator.js';
import { KeyUsage } from '../api-keys/key-usage.js';
import { TokensService } from '../auth/tokens.service.js';
import { accessOf } from '../common/context/access.decorators.js';
import { perRoute } from '../common/context/per-route.js';
import type { AdminRole } from '../common/context/request-context.js';
import { errorCatalogue } from '../common/errors/error-catalogue.js';
import { ServiceError } from '../common/errors/service-error.js';
import { bearerCredential } from '../common/http/bearer.js';
import { clientAddress, isWithin } from '../common/http/client-address.js';
import type { ServedRequest } from '../common/http/served-request.js';
import { AuthenticationFailures } from './authentication-failures.js';

/**
 * The one guard of access: every route says who may call it, one that says nothing is closed.
 * @throws ServiceError 40101 or 42902 on public routes, 40102 or 40303 on admin routes
 */
@Injectable()
export class AccessGuard implements CanActivate {
  private readonly accessOf = perRoute((route) => accessOf(this.reflector, route));

  constructor(
    private readonly reflector: Reflector,
    private readonly keys: ApiKeyAuthenticator,
    private readonly usage: KeyUsage,
    private readonly tokens: TokensService,
    private readonly failures: AuthenticationFailures,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<ServedRequest>();
    const access = this.accessOf(context);
    if (access === undefined) throw new ServiceError(errorCatalogue.routeNotFound);
    request.operation = context.getHandler().name;
    if (access.kind === 'integration') await this.admitKey(request);
    if (access.kind === 'admin') await this.admitAdmin(request, access.roles);
    return true;
  }

  private async admitKey(request: ServedRequest): Promise<void> {
    const presented = bearerCredential(request.headers.authorization);
    const holder = presented === undefined ? null : await this.keys.identify(presented);
    const { requestId, expired } = request;
    if (holder === null) throw await this.failures.refusal({ address: clientAddress(request), requestId });
    const { organization, actingUser, apiKey, allowedAddresses } = holder;
    if (allowedAddresses !== undefined) {
      const address = clientAddress(request);
      if (!isWithin(address, allowedAddresses)) {
        throw await this.failures.refusal({ address, requestId }, fromElsewhere(address));
      }
    }
    this.usage.note(apiKey.id);
    const caller = { organization, actingUser, apiKey, requestId };
    request.integrationContext = expired === undefined ? caller : { ...caller, expired };
  }

  private async admitAdmin(request: ServedRequest, roles: readonly AdminRole[]): Promise<void> {
    const token = bearerCredential(request.headers.authorization);
    const user = token === undefined ? null : await this.tokens.identify(token);
    if (user === null) throw new ServiceError(errorCatalogue.invalidLogin);
    const { requestId, expired } = request;
    request.adminContext = { user, requestId, address: clientAddress(request), ...(expired && { expired }) };
    if (!roles.includes(user.role)) throw new ServiceError(errorCatalogue.roleForbidden);
  }
}

/** A right key at the wrong place: its holder must be told what to mend, as the address may be a new proxy's. */
function fromElsewhere(address: string): ServiceError {
  return new ServiceError(errorCatalogue.addressForbidden, {
    message: `The API key may not be used from ${address}`,
  });
}
