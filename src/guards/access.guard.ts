import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { accessOf, type AdminAccess, anyScope, scopeKey } from '../access/access.decorators.js';
import type { RequiredScope } from '../access/public-api.js';
import type { AdminContext, RequestContext, WriteContext } from '../access/request-context.js';
import { Configuration } from '../config/configuration.js';
import { authenticationAge } from '../config/time-windows.js';
import { ServiceError } from '../errors/service-error.js';
import { clientAddress, isWithin } from '../http/client-address.js';
import type { ApiRequest } from '../http/api-request.js';
import { parseBearerToken } from '../http/request-head.js';
import { ApiKeyAuthenticator, type Rejection } from '../modules/api-keys/api-key-authenticator.js';
import { KeyUsage } from '../modules/api-keys/key-usage.js';
import { TokensService } from '../modules/auth/tokens.service.js';
import { HitCounter } from '../rate-limit/hit-counter.js';

/**
 * Authenticates the caller as the route's access decorator requires.
 * @throws ServiceError 40101, 40306 or 42902 on public routes; 40102, 40303 or 40308 on admin routes; 40400 without a
 * decorator
 */
@Injectable()
export class AccessGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    private readonly keys: ApiKeyAuthenticator,
    private readonly usage: KeyUsage,
    private readonly tokens: TokensService,
    private readonly counter: HitCounter,
    private readonly configuration: Configuration,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<ApiRequest>();
    const access = accessOf(this.reflector, context);
    if (access === undefined) throw new ServiceError('routeNotFound');
    request.operation = context.getHandler().name;
    if (access.kind === 'integration') {
      request.integrationContext = await withWriteCheck(
        request,
        () => this.authenticateKey(request),
        ({ apiKey }) => assertScope(request, apiKey.scopes, requiredScope(this.reflector, context)),
      );
    }
    if (access.kind === 'admin') {
      const assertAllowed = ({ user }: Pick<AdminContext, 'user'>) => this.assertAdmin(user, access);
      request.adminContext = await withWriteCheck(request, () => this.authenticateAdmin(request), assertAllowed);
      assertAllowed(request.adminContext);
    }
    return true;
  }

  private assertAdmin({ role, hasSecondFactor }: AdminContext['user'], access: AdminAccess): void {
    if (!access.roles.includes(role)) throw new ServiceError('roleForbidden');
    const isRequired = this.configuration.secondFactor.isRequired && role === 'superAdmin';
    if (isRequired && hasSecondFactor !== true && access.needsNoSecondFactor !== true)
      throw new ServiceError('secondFactorMissing');
  }

  private async authenticateKey(request: ApiRequest): Promise<Omit<RequestContext, keyof WriteContext>> {
    const { authorization } = request.headers;
    const token = parseBearerToken(authorization);
    const holder = token === undefined ? null : await this.keys.authenticate(token, request);
    if (holder === null) return this.counter.countFailure(request, invalidApiKey(authorization));
    const address = clientAddress(request);
    if ('reason' in holder) {
      // The secret was not verified: it can be the right one.
      if (holder.isLimited !== true) request.rejectedKey = holder;
      return this.counter.countFailure(request, rejectedApiKey(holder));
    }
    const { organization, actingUser, apiKey, allowedAddresses, isPreviousSecret } = holder;
    const { id, name, keyPrefix } = apiKey;
    request.knownKey = { id, name, keyPrefix, organizationId: organization.id };
    if (allowedAddresses !== undefined && !isWithin(address, allowedAddresses)) {
      // Names the address, so that a wrong TRUST_PROXY is easy to see.
      request.errorDetail = address;
      const message = `The API key may not be used from ${request.errorDetail || 'an unknown address'}`;
      return this.counter.countFailure(request, new ServiceError('addressForbidden', { message }));
    }
    this.usage.record(id, isPreviousSecret, address);
    return { organization, actingUser, apiKey, requestId: request.requestId, address };
  }

  private async authenticateAdmin(request: ApiRequest): Promise<Omit<AdminContext, keyof WriteContext>> {
    const token = parseBearerToken(request.headers.authorization);
    const user = token === undefined ? null : await this.tokens.authenticate(token);
    if (user === null) throw new ServiceError('invalidLogin');
    return { user, requestId: request.requestId, address: clientAddress(request) };
  }
}

/**
 * Rejects API keys without the route's scope. Runs after the rate limit, so that these requests count too, and before
 * the body is read.
 * @throws ServiceError 40305; 40400 for an integration route without a scope
 */
@Injectable()
export class ScopeGuard implements CanActivate {
  constructor(private readonly reflector: Reflector) {}

  canActivate(context: ExecutionContext): boolean {
    if (accessOf(this.reflector, context)?.kind !== 'integration') return true;
    const request = context.switchToHttp().getRequest<ApiRequest>();
    const caller = request.integrationContext;
    if (caller === undefined) throw new ServiceError('routeNotFound');
    assertScope(request, caller.apiKey.scopes, requiredScope(this.reflector, context));
    return true;
  }
}

type RouteScope = RequiredScope | typeof anyScope | undefined;

function requiredScope(reflector: Reflector, context: ExecutionContext): RouteScope {
  return reflector.get<RouteScope>(scopeKey, context.getHandler());
}

function assertScope(request: ApiRequest, scopes: readonly string[] | undefined, required: RouteScope): void {
  if (required === undefined) throw new ServiceError('routeNotFound');
  if (required === anyScope) return;
  const wildcard = `${required.split(':')[0]}:*`;
  // A key without scopes may do everything.
  if (scopes === undefined || scopes.some((scope) => scope === required || scope === wildcard)) return;
  request.errorDetail = required;
  throw new ServiceError('scopeMissing', { message: `The API key lacks the scope ${required}` });
}

/**
 * Authenticates a request. Its `assertMayWrite` does so again if the last time was `authenticationAge` ago or more, and then checks
 * whether the caller, such as a key with other scopes, is still allowed to.
 */
async function withWriteCheck<Caller>(
  request: ApiRequest,
  authenticate: () => Promise<Caller>,
  assertAllowed: (caller: Caller) => void,
): Promise<Caller & WriteContext> {
  let authenticatedAt = performance.now();
  const caller = await authenticate();
  const assertMayWrite = async (): Promise<void> => {
    const now = performance.now();
    if (now - authenticatedAt >= authenticationAge) {
      assertAllowed(await authenticate());
      authenticatedAt = now;
    }
    if (request.deadline?.aborted !== true) return;
    const message = 'The request timed out before its data was written.';
    throw new ServiceError('databaseUnavailable', { message });
  };
  return { ...caller, assertMayWrite };
}

/** Creates the error for a rejected key. It is not verified for a minute after a wrong secret with its tag. */
function rejectedApiKey({ ended, isLimited = false }: Rejection): ServiceError {
  if (!isLimited) return ended === undefined ? new ServiceError('invalidApiKey') : unusableApiKey(ended);
  const message = 'Too many wrong secrets of this API key from your address';
  return new ServiceError('authenticationLimited', { message, retryAfterSeconds: 60 });
}

/** Creates a 40101 error that describes a missing or malformed header, but not what is wrong with a key. */
function invalidApiKey(authorization: string | undefined): ServiceError {
  if (parseBearerToken(authorization) !== undefined) return new ServiceError('invalidApiKey');
  const problem = authorization === undefined ? 'is missing' : 'must be `Bearer <API key>`';
  return unusableApiKey(`The Authorization header ${problem}`);
}

function unusableApiKey(message: string): ServiceError {
  return new ServiceError('invalidApiKey', { details: [{ field: 'Authorization', message }] });
}
