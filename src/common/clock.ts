import { Injectable } from '@nestjs/common';

/** Source of the current time, replaceable in tests. */
@Injectable()
export class Clock {
  now(): Date {
    return new Date();
  }
}
