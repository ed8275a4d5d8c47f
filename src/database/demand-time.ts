import type { ConfirmAccess, Expiry } from '../common/context/request-context.js';
import { errorCatalogue } from '../common/errors/error-catalogue.js';
import { ServiceError } from '../common/errors/service-error.js';

/** Whoever something is done for, and whose time may be over before it is done. */
export interface MayExpire {
  /** Aborted where the request was refused for lack of time: from then on nothing may be written for it. */
  readonly expired?: Expiry | undefined;
  readonly confirmAccess?: ConfirmAccess | undefined;
}

/**
 * Rejects writes of a request that has already timed out, or whose caller has lost access since it was authenticated.
 * @throws ServiceError 50301, or 401 as the access guard
 */
export async function assertMayWrite({ expired, confirmAccess }: MayExpire): Promise<void> {
  await confirmAccess?.();
  if (expired?.aborted !== true) return;
  const message = 'The request was refused before it came to its writing';
  throw new ServiceError(errorCatalogue.databaseUnavailable, { message, retryAfterSeconds: 1 });
}
