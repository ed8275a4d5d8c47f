import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { clientAddress } from '../http/client-address.js';
import type { ServedRequest } from '../http/served-request.js';

/** Hands a handler of an open route the client's address, as the contexts of the others have it. */
export const ClientAddress = createParamDecorator((_data: unknown, host: ExecutionContext) =>
  clientAddress(host.switchToHttp().getRequest<ServedRequest>()),
);
