import { Global, Injectable, Module } from '@nestjs/common';

/** The source of the current time for every rule that depends on it, so that tests can replace it. */
@Injectable()
export class Clock {
  now(): Date {
    return new Date();
  }
}

/** Provides the one `Clock`. */
@Global()
@Module({ providers: [Clock], exports: [Clock] })
export class ClockModule {}
