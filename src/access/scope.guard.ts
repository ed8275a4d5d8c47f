import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { accessOf, scopeKey } from '../common/context/access.decorators.js';
import { perRoute } from '../common/context/per-route.js';
import { allows, type RequiredScope } from '../common/context/api-key-scopes.js';
import { errorCatalogue } from '../common/errors/error-catalogue.js';
import { ServiceError } from '../common/errors/service-error.js';
import type { ServedRequest } from '../common/http/served-request.js';

/**
 * Lets a key do what its scopes allow. It stands behind the counting of requests, so that a key that tries what it may
 * not is limited too, and before the body is read.
 * @throws ServiceError 40305, or 40400 for an integration route that names no scope
 */
@Injectable()
export class ScopeGuard implements CanActivate {
  private readonly demandsOf = perRoute((route) => ({
    kind: accessOf(this.reflector, route)?.kind,
    required: this.reflector.get<RequiredScope | undefined>(scopeKey, route.getHandler()),
  }));

  constructor(private readonly reflector: Reflector) {}

  canActivate(context: ExecutionContext): boolean {
    const { kind, required } = this.demandsOf(context);
    if (kind !== 'integration') return true;
    const caller = context.switchToHttp().getRequest<ServedRequest>().integrationContext;
    if (required === undefined || caller === undefined) throw new ServiceError(errorCatalogue.routeNotFound);
    if (allows(caller.apiKey.scopes, required)) return true;
    throw new ServiceError(errorCatalogue.scopeMissing, { message: `The API key lacks the scope ${required}` });
  }
}
