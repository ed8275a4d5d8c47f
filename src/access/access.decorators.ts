import { applyDecorators, type ExecutionContext, SetMetadata } from '@nestjs/common';
import type { Reflector } from '@nestjs/core';
import { ApiBearerAuth, ApiExtension, ApiResponse, ApiSecurity } from '@nestjs/swagger';
import { errorCatalogue, statusOf } from '../common/errors/error-catalogue.js';
import { BodyLimit } from '../common/http/body.guard.js';
import type { PublicController } from '../common/http/public-api.js';
import type { RequiredScope } from '../common/context/api-key-scopes.js';
import type { AdminRole } from '../common/context/request-context.js';

/** What a route says of who may call it. A route that says nothing is closed. */
export type Access =
  | { readonly kind: 'integration'; readonly controller: PublicController }
  | { readonly kind: 'admin'; readonly roles: readonly AdminRole[] }
  | { readonly kind: 'open' };

export const accessKey = Symbol('access');
export const scopeKey = Symbol('scope');

/** The names of the security schemes in the OpenAPI documents. */
export const apiKeyScheme = 'apiKey';
export const adminTokenScheme = 'adminToken';

/** Under this name the public OpenAPI document says which scope an operation needs. */
export const scopeExtension = 'x-required-scope';

/**
 * Declares the errors that a route can respond with, so that the OpenAPI documents list their statuses. The access decorators and
 * `@Idempotent` declare theirs themselves.
 */
export function Rejects(...errors: (keyof typeof errorCatalogue)[]): ClassDecorator & MethodDecorator {
  return applyDecorators(...errors.map((error) => ApiResponse({ status: statusOf(errorCatalogue[error]) })));
}

/** Declares the errors that every route can respond with: of malformed input, of the body guard, and of the server itself. */
const CommonErrors = () =>
  Rejects('malformedRequest', 'bodyTooLarge', 'mediaTypeNotSupported', 'internal', 'databaseUnavailable');

/** What the route that is asked for says of its access, its handler or else its controller; undefined for a closed one. */
export function accessOf(reflector: Reflector, route: ExecutionContext): Access | undefined {
  return reflector.getAllAndOverride<Access | undefined>(accessKey, [route.getHandler(), route.getClass()]);
}

/** Opens a route to integration keys, counted against the limit of the named controller. */
export function IntegrationRoute(controller: PublicController): ClassDecorator & MethodDecorator {
  return applyDecorators(
    SetMetadata(accessKey, { kind: 'integration', controller } satisfies Access),
    ApiBearerAuth(apiKeyScheme),
    CommonErrors(),
    Rejects('invalidApiKey', 'scopeMissing', 'rateLimited'),
  );
}

/** Says what a key must be allowed to do for this route. An integration route that says nothing of it is closed. */
export function RequiresScope(scope: RequiredScope): MethodDecorator {
  return applyDecorators(SetMetadata(scopeKey, scope), ApiExtension(scopeExtension, scope));
}

/** Opens a route to logged-in admins of the named roles. */
export function AdminRoute(...roles: [AdminRole, ...AdminRole[]]): ClassDecorator & MethodDecorator {
  return applyDecorators(
    SetMetadata(accessKey, { kind: 'admin', roles } satisfies Access),
    ApiBearerAuth(adminTokenScheme),
    CommonErrors(),
    Rejects('invalidLogin', 'roleForbidden'),
  );
}

/** Opens a route to everybody, with a small body that must arrive soon. */
export function OpenRoute(): ClassDecorator & MethodDecorator {
  return applyDecorators(
    SetMetadata(accessKey, { kind: 'open' } satisfies Access),
    BodyLimit({ bytes: 4_096, milliseconds: 5_000 }),
    ApiSecurity({}),
    CommonErrors(),
  );
}
