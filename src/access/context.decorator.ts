import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { clientAddress } from '../common/http/client-address.js';
import type { ServedRequest } from '../common/http/served-request.js';
import type { AnonymousContext } from '../common/context/request-context.js';

/** Hands a handler who calls: a `RequestContext` on public routes, an `AdminContext` on admin routes, else a stranger. */
export const Context = createParamDecorator((_data: unknown, host: ExecutionContext) => {
  const request = host.switchToHttp().getRequest<ServedRequest>();
  return request.integrationContext ?? request.adminContext ?? anonymousContextOf(request);
});

function anonymousContextOf(request: ServedRequest): AnonymousContext {
  return { requestId: request.requestId, address: clientAddress(request) };
}
