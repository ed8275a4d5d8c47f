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
/** The key whose window on teams the tests below watch to its end. */
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

/** A request that is sent until it is counted: on a machine that is too busy, some are refused (503) before. */
async function counted(server: RunningServer, path: string, key: string): Promise<Response> {
  for (;;) {
    const answer = await send(server, path, key);
    if (answer.status !== 503 || 'ratelimit-limit' in answer.headers) return answer;
  }
}

/** So many requests at once with one key, in turn to all servers. */
const atOnce = (count: number, path: string, key: string): Promise<Response[]> =>
  Promise.all(Array.from({ length: count }, (_, index) => counted(servers[index % 3] ?? servers[0], path, key)));

/** How many of the answers refused for the limit, and how many did not. */
function outcomesOf(answers: readonly Response[]): { accepted: number; limited: number } {
  const limited = answers.filter(({ status }) => status === 429).length;
  return { accepted: answers.length - limited, limited };
}

/** Lets every server see a key, so that none of its later requests waits for argon2; it counts on seasons alone. */
async function introduce(key: string): Promise<void> {
  for (let sight = 0; sight < 3; sight++) await Promise.all(servers.map((server) => send(server, '/seasons', key)));
}

/** How often servers found that Redis did not answer in time, and whether one of them still counts for itself. */
function outages(): { begun: number; last: boolean } {
  const times = (text: string) => servers.reduce((sum, { log }) => sum + log.split(text).length - 1, 0);
  const begun = times('Redis does not respond');
  return { begun, last: begun > times('Redis responds again') };
}

/**
 * Does a round with a new key while Redis answers every server in time, as a limit is exact only then. On a machine that
 * is too busy for that the round is done anew.
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

const numberIn = (answer: Response, header: string) => Number(answer.headers[header]);

/** When the key's window on teams ends, by the clock of this process: both are on one machine. */
async function endOfWindow(): Promise<number> {
  const [name = ''] = await client.keys(`ffapi:hits:requests:60:teams:${key.id}`);
  return (await client.pexpiretime(name)) + 1;
}

/** In the order of one window's minute: it begins with the first test, and ends in the last but one. */
describe('three servers that share Redis', () => {
  jest.setTimeout(120_000);
  let end: number;

  it('allow a key exactly its 100 requests a minute together, of 300 at once', async () => {
    let begun = 0;
    const answers = await whileRedisAnswers(async (fresh) => {
      key = fresh;
      begun = Date.now();
      return atOnce(300, '/teams', fresh.apiKey);
    });
    end = await endOfWindow();

    const accepted = answers.filter(({ status }) => status !== 429);
    expect(outcomesOf(answers)).toEqual({ accepted: limit, limited: 200 });
    const left = accepted.map((answer) => numberIn(answer, 'ratelimit-remaining')).sort((a, b) => b - a);
    expect(left).toEqual(Array.from({ length: limit }, (_, index) => limit - 1 - index));
    for (const answer of answers) {
      expect(numberIn(answer, 'ratelimit-limit')).toBe(limit);
      if (answer.status !== 429) continue;
      expectError(answer, 42901);
      expect(numberIn(answer, 'ratelimit-remaining')).toBe(0);
      expect(answer.headers['retry-after']).toBe(answer.headers['ratelimit-reset']);
    }
    // The window begins with the first of them that is counted.
    expect(end).toBeGreaterThanOrEqual(begun + 60_000);
    expect(end).toBeLessThanOrEqual(Date.now() + 60_000);
    const [first] = accepted.filter((answer) => numberIn(answer, 'ratelimit-remaining') === limit - 1);
    expect(first?.headers['ratelimit-reset']).toBe('60');
  });

  it.each(otherControllers)('leave %s its own 100', async (path) => {
    const answers = await whileRedisAnswers(async ({ apiKey }) => {
      await atOnce(limit, '/teams', apiKey);
      return atOnce(limit + 20, path, apiKey);
    });
    expect(outcomesOf(answers)).toEqual({ accepted: limit, limited: 20 });
  });

  it('leave another key of the organization, and a key of another one, their own', async () => {
    const answers = await whileRedisAnswers(async ({ apiKey }) => {
      const stranger = await createOrganization(servers[0]);
      await introduce(stranger.key.apiKey);
      return [await atOnce(limit + 20, '/teams', apiKey), await atOnce(limit + 20, '/teams', stranger.key.apiKey)];
    });
    for (const each of answers) expect(outcomesOf(each)).toEqual({ accepted: limit, limited: 20 });
  });

  it('say to the second when the window ends, all the same, as long as it lasts', async () => {
    for (let round = 0; round < 12; round++) {
      for (const server of servers) {
        const sent = Date.now();
        if (sent > end - 3_000) return;
        const answer = await send(server, '/teams', key.apiKey);
        expectError(answer, 42901);
        const told = numberIn(answer, 'retry-after');
        // Counted at some moment between the two, and rounded up.
        expect(told).toBeLessThanOrEqual(Math.ceil((end - sent) / 1_000));
        expect(told).toBeGreaterThanOrEqual(Math.ceil((end - Date.now()) / 1_000));
        expect(numberIn(answer, 'ratelimit-reset')).toBe(told);
      }
      await wait(1_700 + round * 37);
    }
  });

  it('refuse until right before Retry-After is over, and accept right after it', async () => {
    await wait(end - 1_000 - Date.now());
    const announcing = await send(servers[1], '/teams', key.apiKey);
    const heard = Date.now();
    expectError(announcing, 42901);
    await wait(end - 250 - Date.now());
    const before = await Promise.all(servers.map((server) => send(server, '/teams', key.apiKey)));
    // On a machine that is too busy to answer in time, these requests may have come after the end.
    if (Date.now() < end) for (const answer of before) expectError(answer, 42901);
    else throw new Error('Answers took 250 ms: nothing was shown');
    expect(before.map(({ headers }) => headers['retry-after'])).toEqual(['1', '1', '1']);

    await wait(Math.max(end, heard + numberIn(announcing, 'retry-after') * 1_000) - Date.now() + 1);
    const after = await Promise.all(servers.map((server) => send(server, '/teams', key.apiKey)));

    expect(after.map(({ status }) => status)).toEqual([200, 200, 200]);
    const left = after.map((answer) => numberIn(answer, 'ratelimit-remaining')).sort((a, b) => b - a);
    expect(left).toEqual([99, 98, 97]);
    expect(await endOfWindow()).toBeGreaterThan(end + 60_000 - 1);
  });

  it('answer every request while Redis is killed, and count each for itself', async () => {
    const other = await createOrganization(servers[0]);
    await redis.kill();

    const answers = await atOnce(30, '/seasons', other.key.apiKey);

    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    await redis.startAgain();
  });
});
