import type { Connection, mongo } from 'mongoose';
import type { Clock } from '../common/clock.js';

/** An answer that came so soon was said just now, in milliseconds. */
const promptMilliseconds = 200;
const mostQuestions = 5;
const pauseMilliseconds = 100;

/** The part of a server's answer to `hello` that tells the time. */
interface Hello {
  readonly isWritablePrimary?: unknown;
  readonly localTime?: unknown;
}

/**
 * Lets the clock hear the time of an open connection's database: now, so that it is known before anybody is served, and
 * with each of the driver's heartbeats, about once a second. Only who takes writes is heard: the other members' clocks
 * may be other ones.
 */
export async function hearClockOf(connection: Connection, clock: Clock): Promise<void> {
  const hear = ({ isWritablePrimary, localTime }: Hello) => {
    if (isWritablePrimary === true && localTime instanceof Date) clock.hear(localTime);
  };
  connection.getClient().on('serverHeartbeatSucceeded', ({ reply }: mongo.ServerHeartbeatSucceededEvent) => {
    hear(reply);
  });
  for (let question = 0; question < mostQuestions; question++) {
    const asked = performance.now();
    const hello = await connection.db?.command({ hello: 1 }).catch(() => undefined);
    if (hello !== undefined) {
      hear(hello);
      if (performance.now() - asked < promptMilliseconds) return;
    }
    await new Promise((resolve) => setTimeout(resolve, pauseMilliseconds));
  }
}
