import { Injectable, Logger } from '@nestjs/common';
import type { AnonymousContext } from '../common/context/request-context.js';
import { errorCatalogue } from '../common/errors/error-catalogue.js';
import { ServiceError } from '../common/errors/service-error.js';
import { addressGroup } from '../common/http/client-address.js';
import { Metrics } from '../common/metrics/metrics.js';
import { Configuration } from '../common/config/configuration.js';
import { HitCounter } from '../rate-limit/hit-counter.js';

const windowSeconds = 60;

/**
 * Counts failed authentications by the client's address, of IPv6 by its network; a right key from there is never held
 * back.
 */
@Injectable()
export class AuthenticationFailures {
  private readonly logger = new Logger('AuthenticationFailures');

  constructor(
    private readonly counter: HitCounter,
    private readonly configuration: Configuration,
    private readonly metrics: Metrics,
  ) {}

  /** The refusal of one more failure: `refused`, or 42902 once the address has had too many in a minute. */
  async refusal(
    { address, requestId }: AnonymousContext,
    refused: ServiceError = new ServiceError(errorCatalogue.invalidApiKey),
  ): Promise<ServiceError> {
    const group = addressGroup(address);
    const { hits, secondsLeft } = await this.counter.hit('authentication', group, windowSeconds);
    const beyond = hits - this.configuration.authFailuresPerMinute;
    if (beyond <= 0) return refused;
    this.metrics.authenticationLimited();
    // Once a window, for whoever looks for an attacker: a line for each would be an attack on the log.
    if (beyond === 1)
      this.logger.warn('Too many failed authentications from an address', { requestId, address: group });
    return new ServiceError(errorCatalogue.authenticationLimited, { retryAfterSeconds: secondsLeft });
  }
}
