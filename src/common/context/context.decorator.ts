import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { clientAddress } from '../http/client-address.js';
import type { ServedRequest } from '../http/served-request.js';
import type { StrangerContext } from './request-context.js';

/** Hands a handler who calls: a `RequestContext` on public routes, an `AdminContext` on admin routes, else a stranger. */
export const Context = createParamDecorator((_data: unknown, host: ExecutionContext) => {
  const request = host.switchToHttp().getRequest<ServedRequest>();
  return request.integrationContext ?? request.adminContext ?? strangerOf(request);
});

function strangerOf(request: ServedRequest): StrangerContext {
  return { requestId: request.requestId, address: clientAddress(request) };
}
