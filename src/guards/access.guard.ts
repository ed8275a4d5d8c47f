import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { accessOf } from '../access/access.decorators.js';
import type { AdminContext, RequestContext, WriteContext } from '../access/request-context.js';
import { errorCatalogue } from '../errors/error-catalogue.js';
import { ServiceError } from '../errors/service-error.js';
import { addressGroup, clientAddress, isWithin } from '../http/client-address.js';
import type { ApiRequest } from '../http/api-request.js';
import { parseBearerToken } from '../http/request-head.js';
import { ApiKeyAuthenticator } from '../modules/api-keys/api-key-authenticator.js';
import type { KeyClient } from '../modules/api-keys/secret-verifier.js';
import { TokensService } from '../modules/auth/tokens.service.js';
import { AuthenticationFailures } from './authentication-failures.js';

/** How long an authentication stays valid for writes, in milliseconds. */
const validMilliseconds = 300;

/**
 * Authenticates the caller as the route's access decorator requires.
 * @throws ServiceError 40101, 40306 or 42902 on public routes; 40102 or 40303 on admin routes; 40400 without a
 * decorator
 */
@Injectable()
export class AccessGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    private readonly keys: ApiKeyAuthenticator,
    private readonly tokens: TokensService,
    private readonly failures: AuthenticationFailures,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<ApiRequest>();
    const access = accessOf(this.reflector, context);
    if (access === undefined) throw new ServiceError(errorCatalogue.routeNotFound);
    request.operation = context.getHandler().name;
    if (access.kind === 'integration')
      request.integrationContext = await withWriteCheck(request, () => this.authenticateKey(request));
    if (access.kind === 'admin') {
      request.adminContext = await withWriteCheck(request, () => this.authenticateAdmin(request));
      if (!access.roles.includes(request.adminContext.user.role)) throw new ServiceError(errorCatalogue.roleForbidden);
    }
    return true;
  }

  private async authenticateKey(request: ApiRequest): Promise<Omit<RequestContext, keyof WriteContext>> {
    const { requestId } = request;
    const reject = async (error: ServiceError): Promise<never> => {
      throw await this.failures.count(error, { address: clientAddress(request), requestId });
    };
    const { authorization } = request.headers;
    const token = parseBearerToken(authorization);
    const holder = token === undefined ? null : await this.keys.authenticate(token, clientOf(request));
    if (holder === null) return reject(invalidApiKey(authorization));
    if (holder === 'limited') return reject(forgedApiKey());
    const { organization, actingUser, apiKey, allowedAddresses } = holder;
    request.knownKey = { id: apiKey.id, organizationId: organization.id };
    if (allowedAddresses !== undefined && !isWithin(clientAddress(request), allowedAddresses)) {
      // Names the address, so that a wrong TRUST_PROXY is easy to see.
      const message = `The API key may not be used from ${clientAddress(request)}`;
      return reject(new ServiceError(errorCatalogue.addressForbidden, { message }));
    }
    this.keys.recordUse(apiKey.id);
    return { organization, actingUser, apiKey, requestId, address: clientAddress(request) };
  }

  private async authenticateAdmin(request: ApiRequest): Promise<Omit<AdminContext, keyof WriteContext>> {
    const token = parseBearerToken(request.headers.authorization);
    const user = token === undefined ? null : await this.tokens.authenticate(token);
    if (user === null) throw new ServiceError(errorCatalogue.invalidLogin);
    return { user, requestId: request.requestId, address: clientAddress(request) };
  }
}

function clientOf(request: ApiRequest): KeyClient {
  return {
    addressGroup: () => addressGroup(clientAddress(request)),
    waitFor: async (check) => {
      request.overload?.pause();
      const result = await check();
      await request.overload?.resume();
      return result;
    },
  };
}

/** Authenticates a request. Its `assertMayWrite` does so again if the last time was more than 300 ms ago. */
async function withWriteCheck<Caller>(
  request: ApiRequest,
  authenticate: () => Promise<Caller>,
): Promise<Caller & WriteContext> {
  let authenticatedAt = performance.now();
  const caller = await authenticate();
  const assertMayWrite = async (): Promise<void> => {
    const now = performance.now();
    if (now - authenticatedAt >= validMilliseconds) {
      await authenticate();
      authenticatedAt = now;
    }
    if (request.deadline?.aborted !== true) return;
    const message = 'The request timed out before its data was written.';
    throw new ServiceError(errorCatalogue.databaseUnavailable, { message });
  };
  return { ...caller, assertMayWrite };
}

/** Creates the error for a key that is not verified for a minute, because a wrong secret with its tag was sent. */
function forgedApiKey(): ServiceError {
  const message = 'Too many wrong secrets of this API key from your address';
  return new ServiceError(errorCatalogue.authenticationLimited, { message, retryAfterSeconds: 60 });
}

/** Creates a 40101 error that describes a missing or malformed header, but not what is wrong with a key. */
function invalidApiKey(authorization: string | undefined): ServiceError {
  if (parseBearerToken(authorization) !== undefined) return new ServiceError(errorCatalogue.invalidApiKey);
  const problem = authorization === undefined ? 'is missing' : 'must be `Bearer <API key>`';
  const details = [{ field: 'Authorization', message: `The Authorization header ${problem}` }];
  return new ServiceError(errorCatalogue.invalidApiKey, { details });
}
