import type { Response } from 'supertest';
import { expectInvalidKey, expectError } from '../support/expectations.js';
import { createOrganization, api, type TestOrganization } from '../support/organization.js';
import { unknownId } from '../support/http-routes.js';
import { cheapHashes, preload } from '../support/preload.js';
import { type Method, RunningServer } from '../support/server.js';

const oversized = JSON.stringify({ name: 'x'.repeat(150_000) });

/** Invalid bodies, in the order in which their errors are reported. */
const invalidBodies: [string, string, string][] = [
  ['another media type', 'text/plain', oversized],
  ['a body that is too large', 'application/json', oversized],
  ['malformed JSON', 'application/json', '{"name":'],
  ['an invalid field', 'application/json', '{"nonsense":1}'],
];

describe('a request with several errors', () => {
  let server: RunningServer;
  let own: TestOrganization;
  let other: TestOrganization;
  let ids: { team: string; secondTeam: string; schedule: string; foreignTeam: string; foreignSchedule: string };

  beforeAll(async () => {
    server = await RunningServer.shared();
    [own, other] = [await createOrganization(server), await createOrganization(server)];
    const [team, secondTeam, foreignTeam] = [await own.team(), await own.team(), await other.team()];
    const schedule = await own.schedule(team._id);
    const foreignSchedule = await other.schedule(foreignTeam._id);
    ids = {
      team: team._id,
      secondTeam: secondTeam._id,
      schedule: schedule._id,
      foreignTeam: foreignTeam._id,
      foreignSchedule: foreignSchedule._id,
    };
  });
  afterAll(() => server.stop());

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
    ['post', '/teams?nonsense=1'],
    ['post', '/teams/<foreignTeam>/players'],
    ['post', '/schedules'],
    ['patch', '/schedules/malformed'],
    ['patch', '/teams/<foreignTeam>/players/malformed'],
  ])('returns 415, then 413, before field errors: %s %s', async (method, path) => {
    const call = () => own.call(method, named(path));
    expectError(await call().set('Content-Type', 'text/plain').send(oversized), 41500);
    expectError(await call().set('Content-Type', 'application/json').send(oversized), 41300);
  });

  it.each<[string, number, Method, string, object?]>([
    ['an invalid page', 40001, 'get', '/teams/<foreignTeam>/players?page=0'],
    ['an invalid name', 40001, 'post', '/teams/<foreignTeam>/players', { name: 1 }],
    ['an unknown field', 40001, 'post', '/teams/<foreignTeam>/players', { name: 'Jo', teamId: 'x' }],
    ['a malformed player ID', 40001, 'get', '/teams/<foreignTeam>/players/malformed'],
    ['a malformed player ID', 40001, 'patch', '/teams/<foreignTeam>/players/malformed', { name: 'Jo' }],
    ['an invalid field', 40001, 'patch', `/teams/<foreignTeam>/players/${unknownId}`, { name: 1 }],
    ['a malformed player ID', 40001, 'delete', '/teams/<foreignTeam>/players/malformed'],
    ['an invalid filter', 40001, 'get', '/schedules?teamId=<foreignTeam>&filter=nonsense'],
    ['no opponent', 40002, 'post', '/schedules', { teamId: '<foreignTeam>', startDate: '2027-05-01T10:00:00Z' }],
    ['no start', 40001, 'post', '/schedules', { teamId: '<foreignTeam>', teamTwoName: 'Foxes' }],
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
    ['a malformed schedule ID', 40001, 'patch', '/schedules/malformed', { teamId: '<foreignTeam>' }],
    ['an invalid field', 40001, 'patch', '/schedules/<schedule>', { teamId: '<foreignTeam>', duration: 31 }],
    [
      'a limited overtime without duration',
      40001,
      'patch',
      '/schedules/<schedule>',
      { teamId: '<foreignTeam>', overtimeType: 'limited' },
    ],
    ['a malformed schedule ID', 40001, 'delete', '/schedules/malformed?teamId=<foreignTeam>'],
    ['invalid categories', 40001, 'get', '/schedules/<schedule>/player-statistics?teamId=<foreignTeam>&categories=x'],
    ['a malformed schedule ID', 40001, 'get', '/schedules/malformed/player-statistics?teamId=<foreignTeam>'],
  ])(
    "with %s returns %d before 40301 for another organization's team: %s %s",
    async (...[, error, method, path, body]) => {
      expectError(await send(method, path, body), error);
    },
  );

  it('returns 40003 for a missing idem-key before 40301', async () => {
    expectError(await own.call('post', named('/teams/<foreignTeam>/players')).send({ name: 'Jo' }), 40003);
  });

  it.each<[Method, string, object?]>([
    ['get', `/teams/<foreignTeam>/players/${unknownId}`],
    ['patch', `/teams/<foreignTeam>/players/${unknownId}`, { name: 'Jo' }],
    ['delete', `/teams/<foreignTeam>/players/${unknownId}`],
    ['patch', `/schedules/${unknownId}`, { teamId: '<foreignTeam>', duration: 40 }],
    ['delete', `/schedules/${unknownId}?teamId=<foreignTeam>`],
    ['get', `/schedules/${unknownId}/player-statistics?teamId=<foreignTeam>`],
    ['patch', '/schedules/<foreignSchedule>', { teamId: '<foreignTeam>', duration: 40 }],
    ['delete', '/schedules/<foreignSchedule>?teamId=<foreignTeam>'],
    ['get', '/schedules/<foreignSchedule>/player-statistics?teamId=<foreignTeam>'],
    ['patch', '/schedules/<foreignSchedule>', { teamId: 'not an ID', duration: 40 }],
  ])('returns 40301 before the error of an unknown or foreign record: %s %s', async (...[method, path, body]) => {
    expectError(await send(method, path, body), 40301);
  });

  it.each<[number, Method, string, object?]>([
    [40403, 'get', `/teams/<team>/players/${unknownId}`],
    [40402, 'patch', `/schedules/${unknownId}`, { teamId: '<team>' }],
    [40402, 'delete', `/schedules/${unknownId}?teamId=<team>`],
    [40402, 'get', `/schedules/${unknownId}/player-statistics?teamId=<team>`],
    [40302, 'patch', '/schedules/<foreignSchedule>', { teamId: '<team>' }],
    [40302, 'delete', '/schedules/<foreignSchedule>?teamId=<team>'],
    [40302, 'get', '/schedules/<foreignSchedule>/player-statistics?teamId=<team>'],
    [40304, 'patch', '/schedules/<schedule>', { teamId: '<secondTeam>' }],
    [40304, 'delete', '/schedules/<schedule>?teamId=<secondTeam>'],
  ])('returns the error of the record last: %d for %s %s', async (...[error, method, path, body]) => {
    expectError(await send(method, path, body), error);
  });
});

describe('a request above the rate limit', () => {
  let server: RunningServer;

  beforeAll(async () => {
    server = await RunningServer.start({ ...preload(cheapHashes), RATE_LIMIT_PER_MINUTE: '1' });
  });
  afterAll(() => server.stop());

  it.each(invalidBodies)('returns 42901 before any other error: %s', async (_what, type, body) => {
    const organization = await createOrganization(server);
    await organization.call('get', '/teams').expect(200);
    const call = organization.call('post', '/teams?nonsense=1').set('Content-Type', type);
    expectError(await call.send(body), 42901);
  });

  it.each(invalidBodies)('returns 40101 for a wrong key: %s', async (_what, type, body) => {
    const organization = await createOrganization(server);
    await organization.call('get', '/teams').expect(200);
    const wrong = `${organization.key.apiKey.slice(0, -1)}_`;
    expectInvalidKey(await organization.call('post', '/teams', wrong).set('Content-Type', type).send(body));
  });

  it('returns 42901 before the errors of a foreign team and an unknown record', async () => {
    const organization = await createOrganization(server);
    expectError(await organization.call('get', `/teams/${unknownId}/players`), 40301);
    expectError(await organization.call('get', `/teams/${unknownId}/players/${unknownId}`), 42901);
    expectError(await organization.call('get', `/schedules/${unknownId}`), 40402);
    expectError(await organization.call('get', `/schedules/${unknownId}`), 42901);
  });
});
