import { randomUUID } from 'node:crypto';
import { RunningServer } from './server.js';
import { shiftedClock } from './shifted-clock.js';

const hour = 3_600_000;

/** How far clocks are off in tests, in milliseconds: beyond the day that an idem-key is remembered. */
export const wrongClocks: [what: string, ahead: number][] = [
  ['25 hours ahead', 25 * hour],
  ['25 hours behind', -25 * hour],
];

/** Two replicas on one database, of which one has a wrong clock. */
export interface UnequalReplicas {
  right: RunningServer;
  wrong: RunningServer;
  all: RunningServer[];
  stop(): Promise<void>;
}

/** Starts them; the one's clock is ahead by so many milliseconds, or behind. */
export async function startUnequalReplicas(ahead: number): Promise<UnequalReplicas> {
  const JWT_SECRET = randomUUID();
  const right = await RunningServer.start({ JWT_SECRET });
  const wrong = await RunningServer.start({ MONGODB_URI: right.databaseUri, JWT_SECRET, ...shiftedClock(ahead) });
  const stop = async () => {
    await wrong.end();
    await right.stop();
  };
  return { right, wrong, all: [right, wrong], stop };
}

/** Checks that an instant, as text or as stored, is about now. */
export function expectNow(instant: unknown): void {
  const told = instant instanceof Date ? instant.getTime() : Date.parse(String(instant));
  expect(Math.abs(told - Date.now())).toBeLessThan(5_000);
}
