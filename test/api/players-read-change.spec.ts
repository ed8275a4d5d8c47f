import { ObjectId } from 'mongodb';
import { expectFieldError, expectError } from '../support/expectations.js';
import { createOrganization, type Stored, type TestOrganization } from '../support/organization.js';
import { expectPages, expectQueryError, readIds, readPage, invalidPageQueries } from '../support/paging.js';
import { RunningServer } from '../support/server.js';
import { prototypeKeys, stringOf, withRawKey } from '../support/invalid-values.js';

let server: RunningServer;
let organization: TestOrganization;
let team: string;

beforeAll(async () => {
  server = await RunningServer.shared();
  organization = await createOrganization(server);
  team = (await organization.team())._id;
});

afterAll(async () => {
  await server.stop();
});

type Body = Record<string, unknown>;
const full = {
  name: 'Jordan Lee',
  email: 'jordan.lee@example.com',
  position: ['QB', 'WR'],
  jerseyNumber: '00',
  profilePicture: 'https://cdn.example.com/players/jordan.jpg',
};
const pathOf = (player: Stored) => `/teams/${String(player['teamId'])}/players/${player._id}`;
const get = (player: Stored) => organization.call('get', pathOf(player));
const patch = (player: Stored, body: Body) => organization.call('patch', pathOf(player)).send(body);
const remove = (player: Stored) => organization.call('delete', pathOf(player));
const listOf = (teamId: string) => (query: string) => organization.call('get', `/teams/${teamId}/players${query}`);

describe('GET /teams/{teamId}/players/{playerId}', () => {
  it.each([
    ['every field', full],
    ['only a name', { name: 'Sam Fox' }],
  ])('returns {data} with the player as returned on creation: %s', async (_what, fields) => {
    const player = await organization.player(team, fields);
    expect((await get(player).expect(200)).body).toEqual({ data: player });
  });

  it('accepts no query parameter', async () => {
    const player = await organization.player(team);
    expectFieldError(await organization.call('get', `${pathOf(player)}?fields=name`), 'fields');
  });
});

describe('GET /teams/{teamId}/players', () => {
  it("lists only this team's players, with the same fields as on creation", async () => {
    const [team, other] = [await organization.team(), await organization.team()];
    const player = await organization.player(team._id, full);
    await organization.player(other._id);
    expect(await readPage(listOf(team._id))).toEqual({ data: [player], total: 1 });
  });

  it('returns an empty list for a team without players', async () => {
    expect(await readPage(listOf((await organization.team())._id))).toEqual({ data: [], total: 0 });
  });

  it('returns pages by creation, 20 by default or 1 to 100, with the exact total on each', async () => {
    const { _id } = await organization.team();
    const ids: string[] = [];
    for (let index = 0; index < 22; index++) {
      ids.push((await organization.player(_id, { name: `Player ${22 - index}` }))._id);
    }
    await expectPages(listOf(_id), ids);
  });

  it.each(invalidPageQueries)('rejects the query %s, naming %s', async (query, field) => {
    await expectQueryError(listOf(team), query, field);
  });
});

describe('PATCH /teams/{teamId}/players/{playerId}', () => {
  it.each<[string, Body]>([
    ['name', { name: 'Jordan Fox' }],
    ['email', { email: 'fox@example.com' }],
    ['position', { position: ['ATH'] }],
    ['position to an empty list', { position: [] }],
    ['jerseyNumber', { jerseyNumber: '0' }],
    ['profilePicture', { profilePicture: 'http://example.com/new.png' }],
    ['several at once', { name: 'J', jerseyNumber: '99', position: ['Rover', 'S'] }],
  ])(
    'returns 200 with the unwrapped player, changes the sent fields and keeps the others: %s',
    async (_what, changes) => {
      const player = await organization.player(team, full);
      const changed = (await patch(player, changes).expect(200)).body as Stored;
      expect(changed).toEqual({ ...player, ...changes, revision: 2, updatedAt: changed['updatedAt'] });
      expect(Date.parse(String(changed['updatedAt']))).toBeGreaterThanOrEqual(Date.parse(String(player['updatedAt'])));
      expect((await get(player)).body).toEqual({ data: changed });
    },
  );

  it('applies no create defaults: an empty body changes nothing', async () => {
    const player = await organization.player(team, full);
    expect((await patch(player, {}).expect(200)).body).toEqual(player);
  });

  it.each(['email', 'jerseyNumber', 'profilePicture'])(
    'clears %s with null and omits it from then on',
    async (field) => {
      const player = await organization.player(team, full);
      const changed = (await patch(player, { [field]: null }).expect(200)).body as Stored;
      expect(changed).not.toHaveProperty(field);
      expect({ ...changed, updatedAt: player['updatedAt'] }).toEqual({ ...player, [field]: undefined, revision: 2 });
      expect((await get(player)).body).toEqual({ data: changed });
    },
  );

  it('accepts null for a field that is not set', async () => {
    const player = await organization.player(team);
    const changed = (await patch(player, { email: null }).expect(200)).body as Stored;
    expect(changed).toEqual(player);
  });

  it('stores known positions in upper case', async () => {
    const player = await organization.player(team, full);
    expect((await patch(player, { position: ['rb', 'Rover'] })).body).toMatchObject({ position: ['RB', 'Rover'] });
  });

  it.each([
    ['name', null],
    ['name', ''],
    ['name', 12],
    ['name', stringOf(121)],
    ['email', 'jordan'],
    ['email', ''],
    ['email', false],
    ['position', null],
    ['position', 'QB'],
    ['position', ['QB', 'qb']],
    ['position', ['1', '2', '3', '4', '5', '6', '7', '8', '9']],
    ['position', [stringOf(21)]],
    ['jerseyNumber', 0],
    ['jerseyNumber', ''],
    ['jerseyNumber', '12345'],
    ['profilePicture', 'ftp://example.com/a.png'],
    ['profilePicture', ''],
    ['teamId', 'f'.repeat(24)],
    ['organizationId', 'f'.repeat(24)],
    ['_id', 'f'.repeat(24)],
    ['deletedAt', null],
    ['$set', { name: 'X' }],
  ])('rejects %s: %j, and changes nothing', async (field, value) => {
    const player = await organization.player(team, full);
    expectFieldError(await patch(player, { jerseyNumber: '55', [field]: value }), field);
    expect((await get(player)).body).toEqual({ data: player });
  });

  it.each(prototypeKeys)('rejects the raw key %s by name', async (key) => {
    const player = await organization.player(team);
    const call = organization.call('patch', pathOf(player)).set('Content-Type', 'application/json');
    expectFieldError(await call.send(withRawKey({ name: 'J' }, key)), key);
  });
});

describe('DELETE /teams/{teamId}/players/{playerId}', () => {
  it('returns 200 with only a message', async () => {
    const response = await remove(await organization.player(team)).expect(200);
    const body = response.body as Body;
    expect(Object.keys(body)).toEqual(['message']);
    expect(body['message']).toMatch(/\w/);
  });

  it('removes the player from every response and keeps the record', async () => {
    const { _id } = await organization.team();
    const [deleted, kept] = [await organization.player(_id), await organization.player(_id)];
    await remove(deleted).expect(200);
    expect(await readPage(listOf(_id))).toEqual({ data: [kept], total: 1 });
    expectError(await get(deleted), 40403);
    expectError(await patch(deleted, { name: 'Back' }), 40403);
    expectError(await patch(deleted, {}), 40403);
    const stored = (await server.database()).collection('players').findOne({ _id: new ObjectId(deleted._id) });
    expect(await stored).toMatchObject({ name: deleted['name'], deletedAt: expect.any(Date) as unknown });
  });

  it('returns 404 the second time', async () => {
    const player = await organization.player(team);
    await remove(player).expect(200);
    expectError(await remove(player), 40403);
  });

  it('succeeds for exactly one of several concurrent requests', async () => {
    const player = await organization.player(team);
    const responses = await Promise.all(Array.from({ length: 8 }, () => remove(player)));
    expect(responses.map(({ status }) => status).sort()).toEqual([200, ...Array<number>(7).fill(404)]);
  });

  it('keeps name and number in the statistics of past games', async () => {
    const player = await organization.player(team, full);
    const { _id } = await organization.schedule(team);
    const path = `/schedules/${_id}/player-statistics`;
    const rows = [{ playerId: player._id, category: 'punt', stats: { punts: 1, puntYards: 40 } }];
    await server.asSuperAdmin('put', path).send({ rows }).expect(200);
    await remove(player).expect(200);
    const { data } = await readPage(() => organization.call('get', path));
    expect(data).toHaveLength(1);
    expect(data[0]).toMatchObject({ playerId: player._id, playerName: full.name, jerseyNumber: '00' });
  });

  it('accepts neither body nor query', async () => {
    const player = await organization.player(team);
    expectFieldError(await remove(player).send({ reason: 'moved' }), 'reason');
    expectFieldError(await organization.call('delete', `${pathOf(player)}?force=true`), 'force');
    await get(player).expect(200);
  });
});

it('lists players by creation even after changes', async () => {
  const { _id } = await organization.team();
  const [first, second] = [await organization.player(_id), await organization.player(_id)];
  await patch(first, { name: 'Aaron' }).expect(200);
  expect(await readIds(listOf(_id))).toEqual([first._id, second._id]);
});
