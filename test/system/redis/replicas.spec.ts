import { setTimeout as wait } from 'node:timers/promises';
import { Redis } from 'ioredis';
import type { Response } from 'supertest';
import { expectError } from '../../support/expectations.js';
import { unknownId } from '../../support/http-routes.js';
import { createKey, createOrganization, api, type TestOrganization } from '../../support/organization.js';
import { RunningServer } from '../../support/server.js';
import { RedisProcess } from './redis-process.js';

const limit = 100;
const otherControllers = [`/teams/${unknownId}/players`, '/schedules', `/schedules/${unknownId}/player-statistics`];

let redis: RedisProcess;
let client: Redis;
let servers: [RunningServer, RunningServer, RunningServer];
let organization: TestOrganization;
/** The key whose rate limit window on teams the following tests observe to its end. */
let key: Awaited<ReturnType<typeof createKey>>;

beforeAll(async () => {
  redis = await RedisProcess.start();
  client = new Redis(redis.url);
  client.on('error', () => undefined);
  const shared = { REDIS_URL: redis.url, RATE_LIMIT_PER_MINUTE: String(limit) };
  const first = await RunningServer.start(shared);
  const replica = { ...shared, MONGODB_URI: first.databaseUri };
  servers = [first, await RunningServer.start(replica), await RunningServer.start(replica)];
  organization = await createOrganization(first);
}, 60_000);

afterAll(async () => {
  const [first, second, third] = servers;
  client.disconnect();
  await Promise.all([second.end(), third.end()]);
  await first.stop();
  await redis.remove();
});

const send = (server: RunningServer, path: string, key: string): Promise<Response> =>
  Promise.resolve(server.call('get', `${api}${path}`).set('Authorization', `Bearer ${key}`));

/** Sends a request until it is counted; on a busy machine some are rejected with 503 before. */
async function counted(server: RunningServer, path: string, key: string): Promise<Response> {
  for (;;) {
    const response = await send(server, path, key);
    if (response.status !== 503 || 'ratelimit-limit' in response.headers) return response;
  }
}

/** Sends requests at once with one key, to all servers in turn. */
const atOnce = (count: number, path: string, key: string): Promise<Response[]> =>
  Promise.all(Array.from({ length: count }, (_, index) => counted(servers[index % 3] ?? servers[0], path, key)));

/** Counts the responses with and without 429. */
function outcomesOf(responses: readonly Response[]): { accepted: number; limited: number } {
  const limited = responses.filter(({ status }) => status === 429).length;
  return { accepted: responses.length - limited, limited };
}

/** Uses a key on every server, so that later requests do not wait for argon2; counts only on seasons. */
async function introduce(key: string): Promise<void> {
  for (let sight = 0; sight < 3; sight++) await Promise.all(servers.map((server) => send(server, '/seasons', key)));
}

/** Returns how often Redis did not respond in time, and if a server still counts by itself. */
function outages(): { begun: number; last: boolean } {
  const times = (text: string) => servers.reduce((sum, { log }) => sum + log.split(text).length - 1, 0);
  const begun = times('Redis does not respond');
  return { begun, last: begun > times('Redis responds again') };
}

/**
 * Runs a round with a new key while Redis responds to every server in time, because a limit is exact only then.
 * Repeats the round on a machine that is too busy.
 */
async function whileRedisAnswers<T>(round: (fresh: typeof key) => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    const fresh = await createKey(servers[0], organization.id);
    do await introduce(fresh.apiKey);
    while (outages().last && (await wait(1_100, true)));
    const { begun } = outages();
    const result = await round(fresh);
    if (outages().begun === begun || attempt === 5) return result;
  }
}

const numberIn = (response: Response, header: string) => Number(response.headers[header]);

/** End of the window on teams by the clock of this process, which is that of the machine. */
async function endOfWindow(): Promise<number> {
  const [name = ''] = await client.keys(`ffapi:hits:requests:60:teams:${key.id}`);
  return (await client.pexpiretime(name)) + 1;
}

/** The tests follow one window: it starts in the first test and ends in the last but one. */
describe('three servers that share Redis', () => {
  jest.setTimeout(120_000);
  let end: number;

  it('allow a key exactly 100 of 300 concurrent requests together', async () => {
    let begun = 0;
    const responses = await whileRedisAnswers(async (fresh) => {
      key = fresh;
      begun = Date.now();
      return atOnce(300, '/teams', fresh.apiKey);
    });
    end = await endOfWindow();

    const accepted = responses.filter(({ status }) => status !== 429);
    expect(outcomesOf(responses)).toEqual({ accepted: limit, limited: 200 });
    const left = accepted.map((response) => numberIn(response, 'ratelimit-remaining')).sort((a, b) => b - a);
    expect(left).toEqual(Array.from({ length: limit }, (_, index) => limit - 1 - index));
    for (const response of responses) {
      expect(numberIn(response, 'ratelimit-limit')).toBe(limit);
      if (response.status !== 429) continue;
      expectError(response, 42901);
      expect(numberIn(response, 'ratelimit-remaining')).toBe(0);
      expect(response.headers['retry-after']).toBe(response.headers['ratelimit-reset']);
    }
    // The window starts with the first counted request.
    expect(end).toBeGreaterThanOrEqual(begun + 60_000);
    expect(end).toBeLessThanOrEqual(Date.now() + 60_000);
    const [first] = accepted.filter((response) => numberIn(response, 'ratelimit-remaining') === limit - 1);
    expect(first?.headers['ratelimit-reset']).toBe('60');
  });

  it.each(otherControllers)('count %s separately', async (path) => {
    const responses = await whileRedisAnswers(async ({ apiKey }) => {
      await atOnce(limit, '/teams', apiKey);
      return atOnce(limit + 20, path, apiKey);
    });
    expect(outcomesOf(responses)).toEqual({ accepted: limit, limited: 20 });
  });

  it('count other keys of the same and another organization separately', async () => {
    const responses = await whileRedisAnswers(async ({ apiKey }) => {
      const stranger = await createOrganization(servers[0]);
      await introduce(stranger.key.apiKey);
      return [await atOnce(limit + 20, '/teams', apiKey), await atOnce(limit + 20, '/teams', stranger.key.apiKey)];
    });
    for (const each of responses) expect(outcomesOf(each)).toEqual({ accepted: limit, limited: 20 });
  });

  it('report the same end of the window, to the second', async () => {
    for (let round = 0; round < 12; round++) {
      for (const server of servers) {
        const sent = Date.now();
        if (sent > end - 3_000) return;
        const response = await send(server, '/teams', key.apiKey);
        expectError(response, 42901);
        const retryAfter = numberIn(response, 'retry-after');
        // Counted at some time between the two, and rounded up.
        expect(retryAfter).toBeLessThanOrEqual(Math.ceil((end - sent) / 1_000));
        expect(retryAfter).toBeGreaterThanOrEqual(Math.ceil((end - Date.now()) / 1_000));
        expect(numberIn(response, 'ratelimit-reset')).toBe(retryAfter);
      }
      await wait(1_700 + round * 37);
    }
  });

  it('reject requests until Retry-After has passed, and accept them right after', async () => {
    await wait(end - 1_000 - Date.now());
    const announcing = await send(servers[1], '/teams', key.apiKey);
    const heard = Date.now();
    expectError(announcing, 42901);
    await wait(end - 250 - Date.now());
    const before = await Promise.all(servers.map((server) => send(server, '/teams', key.apiKey)));
    // On a machine that is too busy, these requests may have arrived after the end.
    if (Date.now() < end) for (const response of before) expectError(response, 42901);
    else throw new Error('Answers took 250 ms: nothing was shown');
    expect(before.map(({ headers }) => headers['retry-after'])).toEqual(['1', '1', '1']);

    await wait(Math.max(end, heard + numberIn(announcing, 'retry-after') * 1_000) - Date.now() + 1);
    const after = await Promise.all(servers.map((server) => send(server, '/teams', key.apiKey)));

    expect(after.map(({ status }) => status)).toEqual([200, 200, 200]);
    const left = after.map((response) => numberIn(response, 'ratelimit-remaining')).sort((a, b) => b - a);
    expect(left).toEqual([99, 98, 97]);
    expect(await endOfWindow()).toBeGreaterThan(end + 60_000 - 1);
  });

  it('respond to every request while Redis is down, and count separately', async () => {
    const other = await createOrganization(servers[0]);
    await redis.kill();

    const responses = await atOnce(30, '/seasons', other.key.apiKey);

    expect(responses.map(({ status }) => status)).toEqual(responses.map(() => 200));
    await redis.startAgain();
  });
});
