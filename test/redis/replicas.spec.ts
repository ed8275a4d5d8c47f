import type { Response } from 'supertest';
import { expectRefusal } from '../support/expectations.js';
import { anOrganization, api } from '../support/organization.js';
import { RunningServer } from '../support/server.js';
import { RedisProcess } from './redis-process.js';

let redis: RedisProcess;
const servers: RunningServer[] = [];

beforeAll(async () => {
  redis = await RedisProcess.start();
  const first = await RunningServer.start({ REDIS_URL: redis.url, RATE_LIMIT_PER_MINUTE: '100' });
  const shared = { REDIS_URL: redis.url, RATE_LIMIT_PER_MINUTE: '100', MONGODB_URI: first.databaseUri };
  servers.push(first, await RunningServer.start(shared));
});

afterAll(async () => {
  const [first, second] = servers;
  await second?.end();
  await first?.stop();
  await redis.kill();
});

/** So many requests at once with one key, in turn to both servers. */
function atOnce(count: number, path: string, key: string): Promise<Response[]> {
  return Promise.all(
    Array.from({ length: count }, async (_, index) => {
      const server = servers[index % servers.length];
      if (server === undefined) throw new Error('There are no servers');
      return server.call('get', `${api}${path}`).set('Authorization', `Bearer ${key}`);
    }),
  );
}

describe('servers that share Redis', () => {
  it('allow a key exactly its 100 requests a minute together, of 300 at once', async () => {
    const [first] = servers;
    if (first === undefined) throw new Error('There are no servers');
    const { key } = await anOrganization(first);

    const answers = await atOnce(300, '/teams', key.apiKey);

    const accepted = answers.filter(({ status }) => status === 200);
    expect(accepted).toHaveLength(100);
    const left = accepted.map(({ headers }) => Number(headers['ratelimit-remaining'])).sort((a, b) => a - b);
    expect(left).toEqual(Array.from({ length: 100 }, (_, index) => index));
    for (const answer of answers) if (answer.status !== 200) expectRefusal(answer, 42901);
  });

  it('answer every request while Redis is killed, and count each for itself', async () => {
    const [first] = servers;
    if (first === undefined) throw new Error('There are no servers');
    const { key } = await anOrganization(first);
    await redis.kill();

    const answers = await atOnce(20, '/seasons', key.apiKey);

    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    await redis.startAgain();
  });
});
