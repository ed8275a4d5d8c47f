import { build } from '../../../src/config/package.js';
import { scrapeMetrics } from '../../support/metrics.js';
import { eventually } from '../../support/processes.js';
import { RunningServer } from '../../support/server.js';
import { RedisProcess } from './redis-process.js';

let redis: RedisProcess;
let server: RunningServer;

beforeAll(async () => {
  redis = await RedisProcess.start();
  server = await RunningServer.start({ REDIS_URL: redis.url, METRICS_PORT: '0' });
});

afterAll(async () => {
  await server.stop();
  await redis.remove();
});

const state = async () => {
  const metrics = await scrapeMetrics(server);
  const [configured = 0, up = 0, outages = 0] = ['configured', 'up', 'outages_total'].map((name) =>
    metrics.sum(`ffapi_redis_${name}`),
  );
  return { configured, up, outages };
};
const ready = async () => (await server.call('get', '/health/ready').expect(200)).body as { degraded?: string[] };

it('metrics and readiness show the state of Redis, even without requests', async () => {
  await eventually('Redis responds', async () => (await state()).up === 1);
  const { configured, outages } = await state();
  expect(configured).toBe(1);
  await eventually('nothing is degraded', async () => (await ready()).degraded === undefined);
  await redis.kill();
  await eventually('Redis is down', async () => (await state()).up === 0);
  // Each outage is counted once. A busy machine may have had one before.
  await eventually('the outage is counted', async () => (await state()).outages > outages);
  const during = (await state()).outages;
  expect((await state()).outages).toBe(during);
  await eventually('readiness knows of the outage', async () => (await ready()).degraded !== undefined);
  expect(await ready()).toEqual({
    status: 'ok',
    ...build,
    degraded: ['Redis is unreachable: rate limits apply per server'],
  });
  await redis.startAgain();
  await eventually('Redis is back', async () => (await state()).up === 1);
  await eventually('nothing is degraded', async () => (await ready()).degraded === undefined);
});
