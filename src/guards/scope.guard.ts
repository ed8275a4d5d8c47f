import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { accessOf, scopeKey } from '../access/access.decorators.js';
import { hasScope, type RequiredScope } from '../access/public-api.js';
import { errorCatalogue } from '../errors/error-catalogue.js';
import { ServiceError } from '../errors/service-error.js';
import type { ApiRequest } from '../http/api-request.js';

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
    const required = this.reflector.get<RequiredScope | undefined>(scopeKey, context.getHandler());
    const caller = context.switchToHttp().getRequest<ApiRequest>().integrationContext;
    if (required === undefined || caller === undefined) throw new ServiceError(errorCatalogue.routeNotFound);
    if (hasScope(caller.apiKey.scopes, required)) return true;
    throw new ServiceError(errorCatalogue.scopeMissing, { message: `The API key lacks the scope ${required}` });
  }
}
