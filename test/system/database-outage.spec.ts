import { randomUUID } from 'node:crypto';
import { type Response } from 'supertest';
import { build } from '../../src/config/package.js';
import { expectError } from '../support/expectations.js';
import { createOrganization, type Stored, type TestOrganization } from '../support/organization.js';
import { eventually } from '../support/processes.js';
import { unknownId } from '../support/http-routes.js';
import { RunningServer, superAdmin } from '../support/server.js';

const promised = 5_000;

jest.setTimeout(90_000);

describe('while the database', () => {
  const { server, mongod } = RunningServer.withMongodForTests();
  let organization: TestOrganization;
  let team: Stored;
  let schedule: Stored;

  beforeAll(async () => {
    organization = await createOrganization(server);
    team = await organization.team();
    schedule = await organization.schedule(team._id);
  });

  /** Reads and writes of every kind, with a key, a token or no credential. */
  const requests = (): Record<string, () => PromiseLike<Response>> => ({
    'list of seasons': () => organization.call('get', '/seasons'),
    'list of teams': () => organization.call('get', '/teams'),
    'read of a schedule': () => organization.call('get', `/schedules/${schedule._id}`),
    statistics: () => organization.call('get', `/schedules/${schedule._id}/player-statistics`),
    'new player': () =>
      organization.call('post', `/teams/${team._id}/players`).set('idem-key', randomUUID()).send({ name: 'Jo' }),
    'change of a schedule': () =>
      organization.call('patch', `/schedules/${schedule._id}`).send({ teamId: team._id, practiceNote: 'rain' }),
    'deletion of a schedule': () => organization.call('delete', `/schedules/${unknownId}?teamId=${team._id}`),
    login: () => server.call('post', '/auth/login').send(superAdmin),
    'list of organizations': () => server.asSuperAdmin('get', '/organizations'),
    'write of statistics': () =>
      server.asSuperAdmin('put', `/schedules/${schedule._id}/player-statistics`).send({ rows: [] }),
  });

  const expectAllUnavailable = async () => {
    const responses = Object.entries(requests()).map(async ([what, send]) => {
      const begun = Date.now();
      const response = await send();
      return { what, response, milliseconds: Date.now() - begun };
    });
    for (const { what, response, milliseconds } of await Promise.all(responses)) {
      expect([what, milliseconds < promised]).toEqual([what, true]);
      expectError(response, 50301);
      expect([what, response.headers['retry-after']]).toEqual([what, expect.stringMatching(/^[1-9]\d*$/)]);
      expect(response.text).not.toMatch(/mongo|ECONN|127\.0\.0\.1|socket|timed out/i);
    }
  };
  const expectHealth = async () => {
    const begun = Date.now();
    await server.call('get', '/health/live').expect(200, { status: 'ok', ...build });
    const ready = await server.call('get', '/health/ready');
    expectError(ready, 50301);
    expect(ready.headers['retry-after']).toMatch(/^[1-9]\d*$/);
    expect(Date.now() - begun).toBeLessThan(promised);
  };
  const expectRecovered = async () => {
    await eventually('ready', async () => (await server.call('get', '/health/ready')).status === 200, 20);
    for (const [what, send] of Object.entries(requests())) {
      const { status } = await send();
      expect([what, status]).toEqual([
        what,
        what === 'deletion of a schedule' ? 404 : status < 300 ? status : 'below 300',
      ]);
    }
  };

  it('is down, every request gets 503 within 5 s, and the server recovers by itself', async () => {
    await mongod.kill();
    try {
      await expectAllUnavailable();
      await expectHealth();
    } finally {
      await mongod.start();
    }
    await expectRecovered();
    expect(server.process.exitCode).toBeNull();
  });

  it('hangs, every request gets 503 within 5 s, and the server recovers by itself', async () => {
    mongod.suspend();
    try {
      await expectAllUnavailable();
      await expectHealth();
    } finally {
      mongod.resume();
    }
    await expectRecovered();
  });
});
