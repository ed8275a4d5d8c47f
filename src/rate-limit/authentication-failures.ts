import { Injectable, Logger } from '@nestjs/common';
import { Configuration } from '../config/configuration.js';
import { ServiceError } from '../errors/service-error.js';
import type { ApiRequest } from '../http/api-request.js';
import { addressGroup, clientAddress } from '../http/client-address.js';
import { Metrics } from '../observability/metrics.js';
import { HitCounter } from './hit-counter.js';

const windowSeconds = 60;

/** Limits failed authentications of all kinds per client address (IPv6: per /64). */
@Injectable()
export class AuthenticationFailures {
  private readonly logger = new Logger('AuthenticationFailures');

  constructor(
    private readonly counter: HitCounter,
    private readonly configuration: Configuration,
    private readonly metrics: Metrics,
  ) {}

  /**
   * Counts a rejected credential, and throws its error, or 42902 if the address had too many. Valid credentials from there keep
   * working. Errors that do not reject it, such as 503, are thrown only.
   */
  async reject(request: ApiRequest, failure: unknown): Promise<never> {
    if (!(failure instanceof ServiceError) || ![401, 403, 404].includes(failure.status)) throw failure;
    const address = addressGroup(clientAddress(request));
    const { hits, secondsLeft } = await this.counter.hit('authentication', address, windowSeconds);
    const beyond = hits - this.configuration.authFailuresPerMinute;
    if (beyond <= 0) throw failure;
    this.metrics.countRateLimited('authentications');
    // Logged once per minute, as a line per request would flood the log.
    if (beyond === 1) {
      const message = 'Too many failed authentications from an address; responding 429';
      this.logger.warn(message, { requestId: request.requestId, address });
    }
    throw new ServiceError('authenticationLimited', { retryAfterSeconds: secondsLeft });
  }
}
