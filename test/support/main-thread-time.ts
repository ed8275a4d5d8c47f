import { existsSync, readFileSync } from 'node:fs';
import type { RunningServer } from './server.js';

/** Whether the kernel counts the time of each thread. */
export const countsThreadTime = existsSync('/proc/self/schedstat');

/** Returns the processor time of a server's main thread in milliseconds, which other processes do not affect. */
export function mainThreadTime(server: RunningServer): number {
  const pid = String(server.process.pid);
  return Number(readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').split(' ')[0]) / 1_000_000;
}
