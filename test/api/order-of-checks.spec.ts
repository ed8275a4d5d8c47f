import type { Response } from 'supertest';
import { expectInvalidKey, expectError } from '../support/expectations.js';
import { invalidBodies, oversized } from '../support/invalid-bodies.js';
import { createOrganization, api, TestOrganization } from '../support/organization.js';
import { unknownId } from '../support/http-routes.js';
import { type Method, RunningServer } from '../support/server.js';

describe('a request with several errors', () => {
  const server = RunningServer.forTests();
  const own = TestOrganization.forTests(server);
  let ids: { schedule: string; foreignTeam: string };

  beforeAll(async () => {
    const foreignTeam = await (await createOrganization(server)).team();
    const schedule = await own.schedule((await own.team())._id);
    ids = { schedule: schedule._id, foreignTeam: foreignTeam._id };
  });

  /** Replaces the names in angle brackets with the IDs of this run. */
  const named = (text: string) => text.replace(/<(\w+)>/g, (_, name: string) => ids[name as keyof typeof ids]);
  const send = async (method: Method, path: string, body?: object): Promise<Response> => {
    const call = own.call(method, named(path)).set('idem-key', `order-${Math.random()}`);
    return body === undefined ? call : call.send(JSON.parse(named(JSON.stringify(body))) as object);
  };

  it.each(invalidBodies)('returns 40101 before any body error: %s', async (_what, type, body) => {
    const path = `${api}/teams/${ids.foreignTeam}/players?nonsense=1`;
    const call = server.call('post', path).set('Authorization', 'Bearer wrong').set('Content-Type', type);
    expectInvalidKey(await call.send(body));
  });

  it.each<[Method, string, number]>([
    ['get', '/nothing', 40400],
    ['post', '/teams/a/b/c', 40400],
    ['put', '/teams', 40500],
    ['delete', '/seasons', 40500],
  ])('returns 404 or 405 before anything else: %s %s', async (method, path, error) => {
    const call = server.call(method, `${api}${path}?nonsense=1`).set('Authorization', 'Bearer wrong');
    expectError(await call.set('Content-Type', 'text/plain').send(oversized), error);
  });

  it.each<[Method, string]>([
    ['post', '/teams/<foreignTeam>/players'],
    ['patch', '/schedules/malformed'],
  ])('returns 415, then 413, before field errors: %s %s', async (method, path) => {
    const call = () => own.call(method, named(path));
    expectError(await call().set('Content-Type', 'text/plain').send(oversized), 41500);
    expectError(await call().set('Content-Type', 'application/json').send(oversized), 41300);
  });

  it.each<[string, number, Method, string, object?]>([
    ['an invalid field', 40001, 'patch', `/teams/<foreignTeam>/players/${unknownId}`, { name: 1 }],
    ['no opponent', 40002, 'post', '/schedules', { teamId: '<foreignTeam>', startDate: '2027-05-01T10:00:00Z' }],
    [
      'an end before its start',
      40001,
      'post',
      '/schedules',
      {
        teamId: '<foreignTeam>',
        teamTwoName: 'Foxes',
        startDate: '2027-05-01T10:00:00Z',
        endDate: '2027-04-01T10:00:00Z',
      },
    ],
    [
      'a limited overtime without duration',
      40001,
      'patch',
      '/schedules/<schedule>',
      { teamId: '<foreignTeam>', overtimeType: 'limited' },
    ],
    ['invalid categories', 40001, 'get', '/schedules/<schedule>/player-statistics?teamId=<foreignTeam>&categories=x'],
  ])(
    "with %s returns %d before 40301 for another organization's team: %s %s",
    async (...[, error, method, path, body]) => {
      expectError(await send(method, path, body), error);
    },
  );
});
