import { applyDecorators, createParamDecorator, type ExecutionContext, SetMetadata } from '@nestjs/common';
import type { Reflector } from '@nestjs/core';
import { ApiBearerAuth, ApiExtension, ApiSecurity } from '@nestjs/swagger';
import { errorCatalogue } from '../common/errors/error-catalogue.js';
import { type AdminRole, adminRoles } from '../common/context/request-context.js';
import type { ApiRequest } from '../common/http/api-request.js';
import { BodyLimit } from '../common/http/body.guard.js';
import { clientAddress } from '../common/http/client-address.js';
import type { PublicController, RequiredScope } from '../common/http/public-api.js';

/** Who may call a route. A route without an access decorator responds 404. */
export type Access =
  | { readonly kind: 'integration'; readonly controller: PublicController }
  | { readonly kind: 'admin'; readonly roles: readonly AdminRole[] }
  | { readonly kind: 'open' };

export const accessKey = Symbol('access');
export const scopeKey = Symbol('scope');

/** Security scheme names in the OpenAPI documents. */
export const apiKeyScheme = 'apiKey';
export const adminTokenScheme = 'adminToken';

/** OpenAPI extension with the scope that an operation requires. */
export const scopeExtension = 'x-required-scope';

type ErrorName = keyof typeof errorCatalogue;

/** Returns the OpenAPI extension that carries a declared error until `describeResponses` turns it into a response. */
export function errorExtension(name: string): string {
  return `x-error-${name}`;
}

/**
 * Declares the errors that a route can respond with, for the OpenAPI documents. Decorators that
 * reject requests, such as `@Idempotent` and `@Conditional`, declare their own.
 */
export function ApiErrors(...names: ErrorName[]): ClassDecorator & MethodDecorator {
  return applyDecorators(...names.map((name) => ApiExtension(errorExtension(name), true)));
}

const commonErrors: ErrorName[] = [
  'malformedRequest',
  'invalidField',
  'bodyTooLarge',
  'mediaTypeNotSupported',
  'internal',
  'databaseUnavailable',
  'overloaded',
];

/** Returns the access of a route, from its handler or else its controller; undefined if it declares none. */
export function accessOf(reflector: Reflector, route: ExecutionContext): Access | undefined {
  return reflector.getAllAndOverride<Access | undefined>(accessKey, [route.getHandler(), route.getClass()]);
}

/** Allows API keys, and counts requests against the rate limit of the controller. */
export function IntegrationRoute(controller: PublicController): ClassDecorator & MethodDecorator {
  return applyDecorators(
    SetMetadata(accessKey, { kind: 'integration', controller } satisfies Access),
    ApiBearerAuth(apiKeyScheme),
    ApiErrors(...commonErrors, 'invalidApiKey', 'scopeMissing', 'addressForbidden'),
    ApiErrors('rateLimited', 'authenticationLimited'),
  );
}

/** Declares the scope that a route requires. An integration route without it responds 404. */
export function RequiresScope(scope: RequiredScope): MethodDecorator {
  return applyDecorators(SetMetadata(scopeKey, scope), ApiExtension(scopeExtension, scope));
}

/** Allows logged-in admins with one of these roles. */
export function AdminRoute(...roles: [AdminRole, ...AdminRole[]]): ClassDecorator & MethodDecorator {
  return applyDecorators(
    SetMetadata(accessKey, { kind: 'admin', roles } satisfies Access),
    ApiBearerAuth(adminTokenScheme),
    ApiErrors(...commonErrors, 'invalidLogin'),
    ...(roles.length < adminRoles.length ? [ApiErrors('roleForbidden')] : []),
  );
}

/** Allows anonymous callers, with at most 4 KB of body within 5 s. */
export function OpenRoute(): ClassDecorator & MethodDecorator {
  return applyDecorators(
    SetMetadata(accessKey, { kind: 'open' } satisfies Access),
    BodyLimit({ bytes: 4_096, milliseconds: 5_000 }),
    ApiSecurity({}),
    ApiErrors(...commonErrors),
  );
}

/**
 * Injects the caller: a `RequestContext` (public routes), `AdminContext` (admin routes) or `AnonymousContext`. Nest
 * evaluates it after the interceptors, so a `RequestContext` has the key that `IdempotencyInterceptor` adds.
 */
export const Context = createParamDecorator((_data: unknown, host: ExecutionContext) => {
  const request = host.switchToHttp().getRequest<ApiRequest>();
  const { requestId, integrationContext, adminContext } = request;
  return integrationContext ?? adminContext ?? { requestId, address: clientAddress(request) };
});
