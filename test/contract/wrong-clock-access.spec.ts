import { setTimeout as sleep } from 'node:timers/promises';
import { callWithToken, readToken } from '../support/admins.js';
import { createRoutes, aPlace, create, expectReplayed } from '../support/idempotent-creates.js';
import { aKey, anOrganization } from '../support/organization.js';
import { eventually } from '../support/processes.js';
import { RunningServer } from '../support/server.js';
import { shiftedClock } from '../support/shifted-clock.js';
import { expectNow, startUnequalReplicas, type UnequalReplicas, wrongClocks } from '../support/wrong-clock.js';

jest.setTimeout(60_000);

/** A replica that is wrong by a day knows the database's time so well, in milliseconds; generous. */
const close = 800;

const statusWith = async (server: RunningServer, key: string) =>
  (await callWithToken(server, key, 'get', '/v1/public-api/seasons')).status;

/** Checks that keys work on all the servers until a moment from now, and that none does from `until` on. */
async function expectEnd(servers: RunningServer[], keys: string[], end: number, until = end): Promise<void> {
  const statuses = async () => {
    const all = [];
    for (const server of servers) for (const key of keys) all.push(await statusWith(server, key));
    return new Set(all);
  };
  do {
    const seen = await statuses();
    // What a slow machine answers after the end shows nothing.
    if (Date.now() < end - close) expect(seen).toEqual(new Set([200]));
  } while (Date.now() < end - close);
  await sleep(Math.max(0, until + close - Date.now()));
  expect(await statuses()).toEqual(new Set([401]));
}

describe.each(wrongClocks)('a replica whose clock is %s, beside a right one', (_, ahead) => {
  let replicas: UnequalReplicas;

  beforeAll(async () => {
    replicas = await startUnequalReplicas(ahead);
  });
  afterAll(() => replicas.stop());

  it('warns of it once, with how far it is off, and the right one does not', async () => {
    const { right, wrong } = replicas;
    await sleep(1_500);
    const warnings = wrong.log.split('\n').filter((line) => line.includes("clock and the database's differ"));
    expect(warnings).toHaveLength(1);
    const { aheadSeconds } = JSON.parse(warnings[0] ?? '') as { aheadSeconds: number };
    expect(Math.abs(aheadSeconds - ahead / 1_000)).toBeLessThan(5);
    expect(right.log).not.toContain("clock and the database's differ");
    // The lines of the log keep the machine's own time, beside what else that machine logs.
    expect(wrong.log).toContain(`"time":"${new Date(Date.now() + ahead).toISOString().slice(0, 10)}`);
  });

  it('makes keys that work on the other one, and takes the other one’s', async () => {
    for (const maker of replicas.all) {
      const { key } = await anOrganization(maker);
      for (const server of replicas.all) expect(await statusWith(server, key.apiKey)).toBe(200);
    }
  });

  it('makes keys that end at their moment on both, and ends the other one’s at theirs', async () => {
    const { id } = await anOrganization(replicas.right);
    const end = Date.now() + 3_000;
    const keys = [];
    for (const maker of replicas.all) {
      keys.push((await aKey(maker, id, { expiresAt: new Date(end).toISOString() })).apiKey);
    }
    await expectEnd(replicas.all, keys, end);
    for (const server of replicas.all) {
      const list = await server.asSuperAdmin('get', `/api-keys?organizationId=${id}`).expect(200);
      const statuses = (list.body as { data: { status: string }[] }).data.map(({ status }) => status);
      expect(statuses).toEqual(['active', 'expired', 'expired']);
    }
  });

  it('gives a rotated key its grace, on both, and no more than that', async () => {
    const [old, fresh] = [[] as string[], [] as string[]];
    const end = Date.now() + 3_000;
    for (const rotator of replicas.all) {
      const { key } = await anOrganization(rotator);
      const call = rotator.asSuperAdmin('post', `/api-keys/${key.id}/rotate`).send({ graceSeconds: 3 });
      fresh.push(((await call.expect(200)).body as { apiKey: string }).apiKey);
      old.push(key.apiKey);
    }
    await expectEnd(replicas.all, old, end, Date.now() + 3_000);
    for (const server of replicas.all) for (const key of fresh) expect(await statusWith(server, key)).toBe(200);
  });

  it('gives tokens that are good on both, for an hour from now', async () => {
    for (const { superAdminToken: token } of replicas.all) {
      const { iat, exp } = readToken(token).payload;
      expect(Math.abs(Number(iat) - Date.now() / 1_000)).toBeLessThan(120);
      expect(Number(exp) - Number(iat)).toBe(3_600);
      for (const server of replicas.all) await callWithToken(server, token, 'get', '/auth/me').expect(200);
    }
  });
});

describe.each(wrongClocks)('a replica whose clock is suddenly %s', (_, jump) => {
  let server: RunningServer;

  beforeAll(async () => {
    server = await RunningServer.start(shiftedClock(0, jump));
  });
  afterAll(() => server.stop());

  it('goes by the right time at once, says so, and notes the use of keys with it', async () => {
    const place = await aPlace(server);
    const inAnHour = new Date(Date.now() + 3_600_000).toISOString();
    const { apiKey } = await aKey(server, place.organization.id, { expiresAt: inAnHour });
    const firsts = [];
    for (const [, route] of createRoutes) firsts.push({ route, first: await create(route, place, 'import-1') });

    server.process.kill('SIGUSR2');
    for (const { route, first } of firsts) expectReplayed(await create(route, place, 'import-1'), first);
    expect(await statusWith(server, apiKey)).toBe(200);
    await server.asSuperAdmin('get', '/auth/me').expect(200);
    expectNow((await place.organization.player(place.team))['createdAt']);
    const jumped = `"time":"${new Date(Date.now() + jump).toISOString().slice(0, 10)}`;
    await eventually('the clock was set', () => server.log.includes(jumped));
    expect(server.log).toContain("clock and the database's differ");

    expect(await server.end()).toBe(0);
    const keys = (await server.database()).collection('apiKeys');
    const used = await keys.find({ lastUsedAt: { $exists: true } }).toArray();
    expect(used).toHaveLength(2);
    for (const { lastUsedAt } of used) expectNow(lastUsedAt);
  });
});
