import { Injectable, Logger } from '@nestjs/common';
import { InjectConnection } from '@nestjs/mongoose';
import type { Connection } from 'mongoose';
import { clockTolerance } from '../config/time-windows.js';
import { Metrics } from '../observability/metrics.js';
import { BackgroundLoop } from './background-loop.js';

const intervalMilliseconds = 10_000;
/** A slower response is too imprecise to compare the clocks. */
const maxRoundTripMilliseconds = 1_000;

/** Measures how far this machine's clock is ahead of the primary's: servers rely on NTP to agree on the time. */
@Injectable()
export class ClockOffset extends BackgroundLoop {
  private offsetSeconds: number | undefined;
  /** Whether the clocks differ by more than 2 s. */
  isWrong = false;

  constructor(
    @InjectConnection() private readonly connection: Connection,
    metrics: Metrics,
  ) {
    super(new Logger('Clock'), 'The clocks could not be compared', intervalMilliseconds);
    metrics.registerGauges({ ffapi_clock_offset_seconds: () => this.offsetSeconds ?? Number.NaN });
  }

  protected async work(): Promise<void> {
    const sentAt = performance.now();
    const hello = await this.connection.db?.command({ hello: 1 });
    const roundTrip = performance.now() - sentAt;
    const localTime: unknown = hello?.['localTime'];
    if (!(localTime instanceof Date) || roundTrip > maxRoundTripMilliseconds) return;
    const offsetSeconds = (Date.now() - roundTrip / 2 - localTime.getTime()) / 1_000;
    this.offsetSeconds = offsetSeconds;
    const isWrong = Math.abs(offsetSeconds) * 1_000 > clockTolerance;
    if (isWrong && !this.isWrong) {
      const text = "This machine's clock and the database's differ by more than 2 s; check NTP on both";
      this.logger.warn(text, { offsetSeconds: Math.round(offsetSeconds * 10) / 10 });
    }
    this.isWrong = isWrong;
  }
}
