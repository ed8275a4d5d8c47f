import path from 'node:path';

interface Limits {
  replicas: number;
  policy: string;
  hasRedis: boolean;
  perMinute: number;
  keys: number;
  seed: number;
}
interface Admitted {
  there: number;
  first: number;
  later: number;
  back: number;
}
interface Restart {
  rates: Float64Array;
  replicas: number;
  policy: string;
  atOnce: number;
  argon2Milliseconds: number;
  serviceMilliseconds: number;
  seconds: number;
  seed: number;
}
interface Simulation {
  admitted(limits: Limits): Promise<Admitted>;
  afterRestart(restart: Restart): Promise<{ requests: number; refused: number; checks: number }>;
  keyRates(traffic: { organizations: number; perSecond: number; exponent: number }): Float64Array;
  inTheLongRun(run: { rates: Float64Array; requests: number; seed: number }): Promise<{ first: number; read: number }>;
  firstsOfRule(rule: { rates: Float64Array; requests: number; most: number; order: string; seed: number }): number;
  replicaSet(context: object): { perSecond: number; requests: number; followers: number };
  shardedCluster(shards: number, context: object): { perSecond: number };
}

const load = (file: string): Promise<unknown> => import(path.resolve(__dirname, '../../bench/scaling', file));
const sum = (values: Float64Array) => values.reduce((total, value) => total + value, 0);

describe('the simulation of many servers', () => {
  let simulation: Simulation;
  const { setTimeout: trueSetTimeout } = globalThis;

  beforeAll(async () => {
    const files = ['limits.js', 'restart.js', 'keys.js', 'capacity.js'];
    const modules = await Promise.all(files.map(load));
    simulation = Object.assign({}, ...modules) as Simulation;
  });

  const limits = { replicas: 5, policy: 'least connections', perMinute: 1_500, keys: 1, seed: 1 };

  it('lets a key through as often as the limit says with a shared Redis, and as often for each server without', async () => {
    const [shared, alone] = [
      await simulation.admitted({ ...limits, hasRedis: true }),
      await simulation.admitted({ ...limits, hasRedis: false }),
    ];
    expect(Math.abs(shared.there - 100)).toBeLessThan(2);
    expect(Math.abs(alone.there - 500)).toBeLessThan(10);
    // While Redis is away each server counts on for itself, and when it is back all count together again.
    expect(Math.abs(shared.later - 500)).toBeLessThan(10);
    expect(shared.back).toBeLessThan(250);
  });

  it('gives the same for the same seed, and leaves clock and timers as they were', async () => {
    const once = await simulation.admitted({ ...limits, hasRedis: true });
    expect(await simulation.admitted({ ...limits, hasRedis: true })).toEqual(once);
    expect(await simulation.admitted({ ...limits, hasRedis: true, seed: 2 })).not.toEqual(once);
    expect(globalThis.setTimeout).toBe(trueSetTimeout);
    const before = performance.now();
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect(performance.now()).toBeGreaterThan(before);
  });

  it('sends no key faster than its limits let it be, and all of the traffic', () => {
    const rates = simulation.keyRates({ organizations: 1_000, perSecond: 1_000, exponent: 1 });
    expect(sum(rates)).toBeCloseTo(1_000);
    expect(Math.max(...rates)).toBeCloseTo(500 / 60);
    expect(simulation.keyRates({ organizations: 1, perSecond: 1_000, exponent: 1 })).toHaveLength(120);
  });

  it("remembers secrets by the server's own rule where it tries other rules", async () => {
    const rates = simulation.keyRates({ organizations: 120_000, perSecond: 1_000, exponent: 1 });
    const run = { rates, requests: 30_000, seed: 3 };
    const { first } = await simulation.inTheLongRun(run);
    expect(first).toBeGreaterThan(0.01);
    expect(simulation.firstsOfRule({ ...run, most: 100_000, order: 'newest' })).toBe(first);
    const [newest, used] = ['newest', 'used'].map((order) => simulation.firstsOfRule({ ...run, most: 10_000, order }));
    expect(used).toBeLessThan(newest ?? 0);
  });

  it('refuses at a server that was started anew where it is sent its whole part, and spares it by least connections', async () => {
    const rates = simulation.keyRates({ organizations: 2_000, perSecond: 800, exponent: 1 });
    const restart = {
      rates,
      replicas: 4,
      atOnce: 1,
      argon2Milliseconds: 20,
      serviceMilliseconds: 4,
      seconds: 20,
      seed: 1,
    };
    const [turns, fewest] = [
      await simulation.afterRestart({ ...restart, policy: 'round robin' }),
      await simulation.afterRestart({ ...restart, policy: 'least connections' }),
    ];
    expect(turns.refused).toBeGreaterThan(0);
    expect(turns.checks).toBeLessThanOrEqual(20 * 50);
    expect(fewest.refused).toBe(0);
    expect(fewest.requests).toBeLessThan(turns.requests);
  });

  it('plans a replica set within its cores, and shards within what one of them reads of keys', () => {
    const mean = { server: 0.002, mongod: 0.001, secondaries: 0, writes: 0.2 };
    const measured = {
      followerMicrosecondsPerSecond: 3_000,
      followerMicrosecondsPerWrite: 40,
      keyReadMicroseconds: 500,
    };
    const assumed = {
      databaseCores: 8,
      databaseUtilisation: 0.5,
      serverUtilisation: 0.5,
      keyReadServerMilliseconds: 0.5,
    };
    const context = { mean, measured, assumed };
    const { perSecond, requests, followers } = simulation.replicaSet(context);
    expect(requests).toBeCloseTo(perSecond * 0.001);
    expect(requests + followers).toBeCloseTo(4, 1);
    // 4 cores by 0.5 ms a read.
    for (const shards of [2, 8, 1_000]) {
      expect(simulation.shardedCluster(shards, context).perSecond).toBeLessThan(8_000);
    }
  });
});
