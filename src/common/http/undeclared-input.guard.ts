import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { ROUTE_ARGS_METADATA } from '@nestjs/common/constants.js';
import { RouteParamtypes } from '@nestjs/common/enums/route-paramtypes.enum.js';
import { perRoute } from '../context/per-route.js';
import { errorCatalogue } from '../errors/error-catalogue.js';
import { invalidFields, maximumDetails, ServiceError, unknownField } from '../errors/service-error.js';
import { hasMalformedPath } from './prepare-requests.js';
import type { ServedRequest } from './served-request.js';

interface DeclaredInput {
  readonly body: boolean;
  readonly query: boolean;
}

/**
 * Rejects a malformed path, and input that a route does not take at all: a body field where no body is declared, a query
 * parameter where no query is. Where one is declared, the validation pipe names the unknown ones.
 * @throws ServiceError 40000, 40001
 */
@Injectable()
export class UndeclaredInputGuard implements CanActivate {
  private readonly declaredBy = perRoute((route) => declaredInput(route.getClass(), route.getHandler().name));

  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<ServedRequest>();
    if (hasMalformedPath(request)) {
      throw new ServiceError(errorCatalogue.malformedRequest, { message: 'The path has a malformed percent-escape' });
    }
    const declared = this.declaredBy(context);
    const unknown = declared.query ? [] : Object.keys(request.query);
    if (!declared.body) unknown.push(...Object.keys(request.body as object));
    if (unknown.length === 0) return true;
    throw invalidFields(unknown.slice(0, maximumDetails).map(unknownField));
  }
}

/** Whether a controller's method takes a body and a query, by Nest's own record of its parameters. */
function declaredInput(controller: object, method: string): DeclaredInput {
  const parameters = Object.keys(
    (Reflect.getMetadata(ROUTE_ARGS_METADATA, controller, method) as Record<string, unknown> | undefined) ?? {},
  );
  const has = (kind: RouteParamtypes) => parameters.some((parameter) => parameter.startsWith(`${kind}:`));
  return { body: has(RouteParamtypes.BODY), query: has(RouteParamtypes.QUERY) };
}
