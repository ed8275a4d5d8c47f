import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';

/** Source of the current time, replaceable in tests. */
@Injectable()
export class Clock {
  now(): Date {
    return new Date();
  }
}

/** Waits for a time, or until the signal is aborted, without keeping the process alive. */
export async function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  await sleep(milliseconds, undefined, { signal, ref: false }).catch(() => undefined);
}
