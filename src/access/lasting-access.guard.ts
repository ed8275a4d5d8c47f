import { type ExecutionContext, Injectable } from '@nestjs/common';
import type { ServedRequest } from '../common/http/served-request.js';
import { AccessGuard } from './access.guard.js';

const longMilliseconds = 300;

/**
 * Asks again who calls, where the body took its time: whoever lost their access meanwhile must not write with a request
 * that they had begun before.
 */
@Injectable()
export class LastingAccessGuard extends AccessGuard {
  override async canActivate(context: ExecutionContext): Promise<boolean> {
    const { bodyMilliseconds = 0 } = context.switchToHttp().getRequest<ServedRequest>();
    return bodyMilliseconds < longMilliseconds || super.canActivate(context);
  }
}
