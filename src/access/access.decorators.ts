import { applyDecorators, createParamDecorator, type ExecutionContext, SetMetadata } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { ApiBearerAuth, ApiExtension, ApiSecurity } from '@nestjs/swagger';
import type { ErrorName } from '../errors/error-catalogue.js';
import { type AdminRole, adminRoles } from './request-context.js';
import type { ApiRequest } from '../http/api-request.js';
import { clientAddress } from '../http/client-address.js';
import type { RateLimitGroup, RequiredScope } from './public-api.js';

/** Who may call a route. A route without an access decorator responds 404. */
export type Access =
  { readonly kind: 'integration'; readonly rateLimitGroup: RateLimitGroup } | AdminAccess | { readonly kind: 'open' };

export interface AdminAccess {
  readonly kind: 'admin';
  readonly roles: readonly AdminRole[];
  readonly needsNoSecondFactor?: boolean;
}

export const accessKey = Symbol('access');
export const scopeKey = Symbol('scope');

export interface BodyLimits {
  readonly bytes: number;
  /** Maximum time for receiving the body, if shorter than that of the whole request. */
  readonly milliseconds?: number;
}

/** Sets the body limits of a route or controller. The default is 102,400 bytes. */
export const BodyLimit = Reflector.createDecorator<BodyLimits>();

/** Ignores the query of a route that declares none: people and services add parameters of their own to such an URL. */
export const IgnoresQuery = Reflector.createDecorator<unknown, true>({ transform: () => true });

/** Security scheme names in the OpenAPI documents. */
export const apiKeyScheme = 'apiKey';
export const adminTokenScheme = 'adminToken';

/** OpenAPI extension with the scope that an operation requires. */
export const scopeExtension = 'x-required-scope';

const errorsKey = Symbol('errors');

/**
 * Declares the errors that a route or all routes of a controller can respond with, for the OpenAPI documents, in addition
 * to those of other decorators that reject requests, such as `@Idempotent` and `@Conditional`.
 */
export function ApiErrors(...names: ErrorName[]): ClassDecorator & MethodDecorator {
  return (target: object, _name?: string | symbol, descriptor?: PropertyDescriptor): void => {
    const declaring = (descriptor?.value ?? target) as object;
    Reflect.defineMetadata(errorsKey, [...declaredErrors(declaring), ...names], declaring);
  };
}

/** Returns the errors that a handler or a controller declares. */
export function declaredErrors(declaring: object): readonly ErrorName[] {
  return (Reflect.getMetadata(errorsKey, declaring) ?? []) as readonly ErrorName[];
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

/** Allows API keys, and counts requests against the limit of this group. */
export function IntegrationRoute(rateLimitGroup: RateLimitGroup): ClassDecorator & MethodDecorator {
  return applyDecorators(
    SetMetadata(accessKey, { kind: 'integration', rateLimitGroup } satisfies Access),
    ApiBearerAuth(apiKeyScheme),
    ApiErrors(...commonErrors, 'invalidApiKey', 'scopeMissing', 'addressForbidden'),
    ApiErrors('rateLimited', 'authenticationLimited'),
  );
}

/** Declares the scope that a route requires. An integration route without it responds 404. */
export function RequiresScope(scope: RequiredScope): MethodDecorator {
  return applyDecorators(SetMetadata(scopeKey, scope), ApiExtension(scopeExtension, scope));
}

/** The required scope of a route that every API key may call. */
export const anyScope = 'any';

/** Allows every API key, with or without scopes. */
export function RequiresNoScope(): MethodDecorator {
  return SetMetadata(scopeKey, anyScope);
}

/** Allows logged-in admins with one of these roles. */
export function AdminRoute(...roles: [AdminRole, ...AdminRole[]]): ClassDecorator & MethodDecorator {
  return applyDecorators(
    adminAccess({ roles }),
    ApiErrors('secondFactorMissing', ...(roles.length < adminRoles.length ? (['roleForbidden'] as const) : [])),
  );
}

/** Allows every logged-in admin, even a super admin who must set up a second factor before calling other routes. */
export function EnrolmentRoute(): MethodDecorator {
  return adminAccess({ roles: adminRoles, needsNoSecondFactor: true });
}

function adminAccess(access: Omit<AdminAccess, 'kind'>): ClassDecorator & MethodDecorator {
  return applyDecorators(
    SetMetadata(accessKey, { kind: 'admin', ...access } satisfies Access),
    ApiBearerAuth(adminTokenScheme),
    ApiErrors(...commonErrors, 'invalidLogin'),
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
