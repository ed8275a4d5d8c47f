import { randomUUID } from 'node:crypto';
import { expectError } from '../support/expectations.js';
import {
  createTeamFixture,
  sendCreate,
  createRoutes,
  expectCreated,
  expectReplayed,
  listIds,
  type TeamFixture,
  playerRoute,
  scheduleRoute,
  teamRoute,
} from '../support/idempotent-creates.js';
import { RunningServer } from '../support/server.js';

let server: RunningServer;
/** For tests that do not count records. */
let place: TeamFixture;

beforeAll(async () => {
  server = await RunningServer.shared();
  place = await createTeamFixture(server);
});

afterAll(async () => {
  await server.stop();
});

describe('another rejected request', () => {
  it('does not use up its key: an unknown season, then a known one', async () => {
    const key = randomUUID();
    expectError(await sendCreate(teamRoute, place, key, { season: 'f'.repeat(24) }), 40404);
    expectCreated(await sendCreate(teamRoute, place, key));
  });

  it("does not use up its key: another organization's team, then its own", async () => {
    const [key, foreign] = [randomUUID(), await createTeamFixture(server)];
    expectError(await sendCreate(scheduleRoute, place, key, { teamId: foreign.team }), 40301);
    expectCreated(await sendCreate(scheduleRoute, place, key));
  });
});

describe('the scope of a key', () => {
  it('is the path: it can be used again for another team', async () => {
    const elsewhere = { ...place, team: (await place.organization.team({ season: place.season }))._id };
    const key = randomUUID();
    const first = expectCreated(await sendCreate(playerRoute, place, key));
    const second = expectCreated(await sendCreate(playerRoute, elsewhere, key, { name: 'Sam Fox' }));
    expect([first['teamId'], second['teamId']]).toEqual([place.team, elsewhere.team]);
  });

  it('is the decoded path: percent-encoding does not create a second player', async () => {
    const key = randomUUID();
    const first = await sendCreate(playerRoute, place, key);
    expectCreated(first);
    const path = `/teams/%${place.team.charCodeAt(0).toString(16)}${place.team.slice(1)}/players`;
    const call = place.organization.call('post', path).set('idem-key', key);
    expectReplayed(await call.send(playerRoute.body(place)), first);
  });

  it('is the route: one key creates a player, a team and a schedule', async () => {
    const key = randomUUID();
    for (const [, route] of createRoutes) expectCreated(await sendCreate(route, place, key));
  });

  it('is the organization: another organization gets 403 at the same path, never the first response', async () => {
    const [key, other] = [randomUUID(), await createTeamFixture(server)];
    expectCreated(await sendCreate(playerRoute, place, key));
    expectError(await sendCreate(playerRoute, { ...other, team: place.team }, key), 40301);
  });
});

describe('the first response', () => {
  it('is replayed after the player was updated and deleted', async () => {
    const own = await createTeamFixture(server);
    const first = await sendCreate(playerRoute, own, 'import-1');
    const path = `${playerRoute.path(own)}/${expectCreated(first)._id}`;
    await own.organization.call('patch', path).send({ name: 'Sam Fox', jerseyNumber: null }).expect(200);
    expectReplayed(await sendCreate(playerRoute, own, 'import-1'), first);
    await own.organization.call('delete', path).expect(200);
    expectReplayed(await sendCreate(playerRoute, own, 'import-1'), first);
    expect(await listIds(playerRoute, own)).toEqual([]);
    expectError(await sendCreate(playerRoute, own, 'import-1', playerRoute.changes), 42201);
  });

  it('is replayed after the schedule was updated and deleted', async () => {
    const own = await createTeamFixture(server);
    const first = await sendCreate(scheduleRoute, own, 'import-1');
    const path = `/schedules/${expectCreated(first)._id}`;
    const { organization } = own;
    await organization.call('patch', path).send({ teamId: own.team, eventTitle: 'Final' }).expect(200);
    expectReplayed(await sendCreate(scheduleRoute, own, 'import-1'), first);
    await organization.call('delete', `${path}?teamId=${own.team}`).expect(200);
    expectReplayed(await sendCreate(scheduleRoute, own, 'import-1'), first);
    expect(await listIds(scheduleRoute, own)).toEqual([]);
  });
});
