import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { ServedRequest } from '../http/served-request.js';

/** Hands a handler who calls: a `RequestContext` on public routes, an `AdminContext` on admin routes. */
export const Context = createParamDecorator((_data: unknown, host: ExecutionContext) => {
  const request = host.switchToHttp().getRequest<ServedRequest>();
  return request.integrationContext ?? request.adminContext;
});
