import { Injectable } from '@nestjs/common';

/** The one source of «now» for every rule that depends on it; tests put their own in its place. */
@Injectable()
export class Clock {
  now(): Date {
    return new Date();
  }
}
