import { Injectable } from '@nestjs/common';
import { errorCatalogue } from '../common/errors/error-catalogue.js';
import { ServiceError } from '../common/errors/service-error.js';
import { Configuration } from '../config/configuration.js';
import { secondsLeft } from '../rate-limit/counted-window.js';
import { RequestCounter } from '../rate-limit/request-counter.js';

const windowSeconds = 60;

/** Counts failed authentications by the client's address; a right key from there is never held back. */
@Injectable()
export class AuthenticationFailures {
  constructor(
    private readonly counter: RequestCounter,
    private readonly configuration: Configuration,
  ) {}

  /** The refusal of one more failure: as it is, or 42902 once the address has had too many in a minute. */
  async refusal(address: string, refused = new ServiceError(errorCatalogue.invalidApiKey)): Promise<ServiceError> {
    const counted = await this.counter.hit('authentication', address, windowSeconds);
    if (counted.hits <= this.configuration.authFailuresPerMinute) return refused;
    return new ServiceError(errorCatalogue.authenticationLimited, { retryAfterSeconds: secondsLeft(counted) });
  }
}
