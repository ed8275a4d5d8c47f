import { Injectable, Logger } from '@nestjs/common';
import type { AnonymousContext } from '../access/request-context.js';
import { errorCatalogue } from '../errors/error-catalogue.js';
import { ServiceError } from '../errors/service-error.js';
import { addressGroup } from '../http/client-address.js';
import { Metrics } from '../observability/metrics.js';
import { Configuration } from '../config/configuration.js';
import { HitCounter } from '../rate-limit/hit-counter.js';

const windowSeconds = 60;

/** Counts failed authentications per client address (IPv6: per /64). Valid keys from the same address keep working. */
@Injectable()
export class AuthenticationFailures {
  private readonly logger = new Logger('AuthenticationFailures');

  constructor(
    private readonly counter: HitCounter,
    private readonly configuration: Configuration,
    private readonly metrics: Metrics,
  ) {}

  /** Counts a failure and returns the error to respond with: itself, or 42902 if the address had too many. */
  async count(failure: ServiceError, { address, requestId }: AnonymousContext): Promise<ServiceError> {
    const group = addressGroup(address);
    const { hits, secondsLeft } = await this.counter.hit('authentication', group, windowSeconds);
    const beyond = hits - this.configuration.authFailuresPerMinute;
    if (beyond <= 0) return failure;
    this.metrics.countAuthenticationLimited();
    // Logged once per minute, as a line per request would flood the log.
    if (beyond === 1)
      this.logger.warn('Too many failed authentications from an address; responding 429', {
        requestId,
        address: group,
      });
    return new ServiceError(errorCatalogue.authenticationLimited, { retryAfterSeconds: secondsLeft });
  }
}
