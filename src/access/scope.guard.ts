import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { accessOf, scopeKey } from './access.decorators.js';
import { allows, type RequiredScope } from '../common/context/api-key-scopes.js';
import { errorCatalogue } from '../common/errors/error-catalogue.js';
import { ServiceError } from '../common/errors/service-error.js';
import type { ServedRequest } from '../common/http/served-request.js';

/**
 * Rejects a key without the scope that the route requires. It runs after the rate limit, so that such requests are counted too,
 * and before the body is read.
 * @throws ServiceError 40305, or 40400 for an integration route that names no scope
 */
@Injectable()
export class ScopeGuard implements CanActivate {
  constructor(private readonly reflector: Reflector) {}

  canActivate(context: ExecutionContext): boolean {
    if (accessOf(this.reflector, context)?.kind !== 'integration') return true;
    const required = this.reflector.get<RequiredScope | undefined>(scopeKey, context.getHandler());
    const caller = context.switchToHttp().getRequest<ServedRequest>().integrationContext;
    if (required === undefined || caller === undefined) throw new ServiceError(errorCatalogue.routeNotFound);
    if (allows(caller.apiKey.scopes, required)) return true;
    throw new ServiceError(errorCatalogue.scopeMissing, { message: `The API key lacks the scope ${required}` });
  }
}
