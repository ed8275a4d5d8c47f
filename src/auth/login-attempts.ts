import { Injectable } from '@nestjs/common';
import { errorCatalogue } from '../common/errors/error-catalogue.js';
import { ServiceError } from '../common/errors/service-error.js';
import { RequestCounter } from '../rate-limit/request-counter.js';

const windowSeconds = 15 * 60;
const perAddress = 30;
const perEmailAndAddress = 10;

/**
 * Counts failed logins: an email is limited from each address by itself, so that a stranger cannot lock its owner
 * out from elsewhere.
 */
@Injectable()
export class LoginAttempts {
  constructor(private readonly counter: RequestCounter) {}

  /**
   * Counts an attempt before its password is looked at, so that attempts at once are counted exactly.
   * @throws ServiceError 42902 where too many failed before
   */
  async begin(email: string, address: string): Promise<void> {
    for (const { bucket, key, limit } of limitsOf(email, address)) {
      const { hits, millisecondsLeft } = await this.counter.hit(bucket, key, windowSeconds);
      if (hits <= limit) continue;
      throw new ServiceError(errorCatalogue.authenticationLimited, {
        message: 'Too many failed logins',
        retryAfterSeconds: Math.max(1, Math.ceil(millisecondsLeft / 1000)),
      });
    }
  }

  /** Takes the attempt back: it was right. */
  async succeed(email: string, address: string): Promise<void> {
    for (const { bucket, key } of limitsOf(email, address)) await this.counter.refund(bucket, key, windowSeconds);
  }
}

function limitsOf(email: string, address: string) {
  return [
    { bucket: 'login-address', key: address, limit: perAddress },
    { bucket: 'login-email', key: `${address} ${email}`, limit: perEmailAndAddress },
  ];
}
