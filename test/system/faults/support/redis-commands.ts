import { Redis } from 'ioredis';
import type { ControlledProcess } from '../../../../scripts/cluster/controlled-process.js';

/** Pauses Redis during an action; returns the number of rate limit commands that servers sent meanwhile. */
export async function commandsWhileHanging(redis: ControlledProcess, act: () => Promise<void>): Promise<number> {
  const client = new Redis(redis.port, '127.0.0.1');
  try {
    const before = await executedScripts(client);
    redis.hang();
    await act();
    redis.resume();
    // The first response can come before Redis has read its other connections, the second one comes after that.
    await executedScripts(client);
    return (await executedScripts(client)) - before;
  } finally {
    redis.resume();
    client.disconnect();
  }
}

/** Returns the number of executed scripts: servers count each request with one. */
async function executedScripts(client: Redis): Promise<number> {
  const statistics = await client.info('commandstats');
  const calls = statistics.matchAll(/^cmdstat_eval(?:sha)?:calls=(\d+)/gm);
  return [...calls].reduce((sum, [, count]) => sum + Number(count), 0);
}
