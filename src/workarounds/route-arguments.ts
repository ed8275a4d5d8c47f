import type { ExecutionContext } from '@nestjs/common';
import { ROUTE_ARGS_METADATA, RouteParamtypes } from '@nestjs/common/internal';

const kinds = { body: RouteParamtypes.BODY, query: RouteParamtypes.QUERY };

/**
 * Returns true if a handler has a parameter with `@Body()` or `@Query()`. Nest tells this to pipes, which only run for
 * such parameters, but not to guards, and its metadata keys are not public (https://github.com/nestjs/nest/issues/4232).
 */
export function declaresInput(kind: keyof typeof kinds, route: ExecutionContext): boolean {
  const parameters: unknown = Reflect.getMetadata(ROUTE_ARGS_METADATA, route.getClass(), route.getHandler().name);
  return Object.keys(parameters ?? {}).some((parameter) => parameter.startsWith(`${kinds[kind]}:`));
}
