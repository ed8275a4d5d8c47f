import { ObjectId } from 'mongodb';
import { callWithToken, loginBothRoles } from '../support/admins.js';
import { eventsOfRequest, withRequestId } from '../support/audit.js';
import { expectError } from '../support/expectations.js';
import { createGame, qbRow, type TestGame } from '../support/game.js';
import { unknownId } from '../support/http-routes.js';
import { createOrganization } from '../support/organization.js';
import { cheapHashes, preload } from '../support/preload.js';
import { RunningServer, superAdmin } from '../support/server.js';

let server: RunningServer;
let game: TestGame;

beforeAll(async () => {
  server = await RunningServer.start(preload(cheapHashes));
  game = await createGame(server);
});
afterAll(() => server.stop());

const dates = { startDate: '2027-03-01T00:00:00.000Z', endDate: '2027-06-30T00:00:00.000Z' };
const postSeason = (fields: object = {}) =>
  server.asSuperAdmin('post', '/seasons').send({ name: 'Spring 2027', ...dates, ...fields });
const stored = async (collection: string, filter: object) =>
  (await server.database()).collection(collection).find(filter).toArray();
const me = async () =>
  ((await server.asSuperAdmin('get', '/auth/me').expect(200)).body as { data: { _id: string } }).data;

/** Makes the database reject every event of an action while `work` runs. */
async function withoutEventsOf(action: string, work: () => Promise<unknown>): Promise<void> {
  const database = await server.database();
  await database.command({ collMod: 'auditEvents', validator: { action: { $ne: action } } });
  try {
    await work();
  } finally {
    await database.command({ collMod: 'auditEvents', validator: {} });
  }
}

describe('creating a season', () => {
  it.each(['of one organization', 'of all organizations'])(
    '%s records one event with actor, season and organization',
    async (scope) => {
      const organizationId = scope === 'of one organization' ? (await createOrganization(server)).id : undefined;
      const { call, id } = withRequestId(postSeason(organizationId === undefined ? {} : { organizationId }));
      const { _id } = (await call.expect(201)).body as { _id: string };
      const [event, ...more] = await eventsOfRequest(server, id);
      expect(more).toEqual([]);
      expect(event).toEqual({
        _id: expect.any(String) as string,
        at: expect.any(String) as string,
        action: 'createSeason',
        outcome: 'done',
        actor: { kind: 'user', _id: (await me())._id, email: superAdmin.email, role: 'superAdmin' },
        ...(organizationId !== undefined && { organizationId }),
        target: { kind: 'season', _id },
        changes: { name: 'Spring 2027', ...dates },
        address: expect.any(String) as string,
        requestId: id,
      });
    },
  );

  it('stores the creator, which no response contains', async () => {
    const { _id } = await game.organization.season();
    const [season] = await stored('seasons', { _id: new ObjectId(_id) });
    expect(String(season?.['createdBy'])).toBe((await me())._id);
    const responses = await Promise.all([
      postSeason(),
      server.asSuperAdmin('get', '/seasons?limit=100'),
      game.organization.call('get', '/seasons?limit=100'),
    ]);
    for (const { text } of responses) expect(text).not.toContain('createdBy');
  });

  it('is rolled back if its event cannot be written', async () => {
    const before = await stored('seasons', {});
    await withoutEventsOf('createSeason', async () => expectError(await postSeason(), 50000));
    expect(await stored('seasons', {})).toEqual(before);
  });
});

describe('writing statistics', () => {
  it('records one event with actor, game, organization and number of rows', async () => {
    const { organization, schedule, homePlayer, awayPlayer } = game;
    const { creator } = await loginBothRoles(organization);
    const rows = [qbRow(homePlayer), qbRow(awayPlayer)];
    const { call, id } = withRequestId(callWithToken(server, creator, 'put', game.adminPath).send({ rows }));
    await call.expect(200);
    const events = await eventsOfRequest(server, id);
    expect(events).toHaveLength(1);
    expect(events).toMatchObject([
      {
        action: 'replacePlayerStatistics',
        outcome: 'done',
        actor: { kind: 'user', _id: organization.creator._id, role: 'organizationCreator' },
        organizationId: organization.id,
        target: { kind: 'schedule', _id: schedule._id },
        changes: { rows: 2 },
      },
    ]);
  });

  it('stores the last author, which no response contains', async () => {
    const { organization, schedule, homePlayer } = game;
    const { creator } = await loginBothRoles(organization);
    await game.write([qbRow(homePlayer, 1)]);
    const put = await callWithToken(server, creator, 'put', game.adminPath).send({ rows: [qbRow(homePlayer, 2)] });
    const rows = await stored('playerStatistics', { scheduleId: new ObjectId(schedule._id) });
    expect(rows.map((row) => String(row['createdBy']))).toEqual([organization.creator._id]);
    for (const { status, text } of [put, await game.get()]) {
      expect(status).toBe(200);
      expect(text).not.toContain('createdBy');
    }
  });

  it('is rolled back if its event cannot be written', async () => {
    const before = await game.write([qbRow(game.homePlayer, 3)]);
    await withoutEventsOf('replacePlayerStatistics', async () => expectError(await game.put([]), 50000));
    expect(await game.read()).toEqual(before);
  });

  it('records no event if the rows are rejected', async () => {
    const { call, id } = withRequestId(game.put([qbRow(game.homePlayer), { wrong: true }]));
    expectError(await call, 40001);
    expect(await eventsOfRequest(server, id)).toEqual([]);
  });
});

describe('writing statistics of a game without permission', () => {
  it('returns the same error for invalid rows as for valid ones', async () => {
    const outsider = await loginBothRoles(await createOrganization(server));
    const wrong = { rows: [{ wrong: true }] };
    for (const token of [outsider.creator, outsider.admin])
      expectError(await callWithToken(server, token, 'put', game.adminPath).send(wrong), 40303);
    const unknown = `/schedules/${unknownId}/player-statistics`;
    expectError(await callWithToken(server, outsider.creator, 'put', unknown).send(wrong), 40402);
    expectError(await server.asSuperAdmin('put', unknown).send(wrong), 40402);
  });
});
