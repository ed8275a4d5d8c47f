import { ObjectId } from 'mongodb';
import { expectFieldError, expectError } from '../support/expectations.js';
import { type Stored, TestOrganization } from '../support/organization.js';
import { readIds, readPage } from '../support/paging.js';
import { RunningServer } from '../support/server.js';

const server = RunningServer.forTests();
const organization = TestOrganization.forTests(server);
let team: string;

beforeAll(async () => {
  team = (await organization.team())._id;
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
});

describe('GET /teams/{teamId}/players', () => {
  it("lists only this team's players, with the same fields as on creation", async () => {
    const [team, other] = [await organization.team(), await organization.team()];
    const player = await organization.player(team._id, full);
    await organization.player(other._id);
    expect(await readPage(listOf(team._id))).toEqual({ data: [player], total: 1 });
  });
});

describe('PATCH /teams/{teamId}/players/{playerId}', () => {
  it('returns 200 with the unwrapped player, changes the sent fields and keeps the others', async () => {
    const player = await organization.player(team, full);
    const changes = { name: 'J', jerseyNumber: '99', position: ['Rover', 'S'] };
    const changed = (await patch(player, changes).expect(200)).body as Stored;
    expect(changed).toEqual({ ...player, ...changes, revision: 2, updatedAt: changed['updatedAt'] });
    expect(Date.parse(String(changed['updatedAt']))).toBeGreaterThanOrEqual(Date.parse(String(player['updatedAt'])));
    expect((await get(player)).body).toEqual({ data: changed });
  });

  it('applies no create defaults: an empty body changes nothing', async () => {
    const player = await organization.player(team, full);
    expect((await patch(player, {}).expect(200)).body).toEqual(player);
  });

  it('clears optional fields with null and omits them from then on', async () => {
    const player = await organization.player(team, full);
    const nulls = { email: null, jerseyNumber: null, profilePicture: null };
    const changed = (await patch(player, nulls).expect(200)).body as Stored;
    const kept = Object.entries(player).filter(([field]) => !(field in nulls));
    expect(changed).toEqual({ ...Object.fromEntries(kept), revision: 2, updatedAt: changed['updatedAt'] });
    expect((await get(player)).body).toEqual({ data: changed });
    expect((await patch(player, nulls).expect(200)).body).toEqual(changed);
  });

  it('rejects an invalid value, and changes nothing', async () => {
    const player = await organization.player(team, full);
    expectFieldError(await patch(player, { jerseyNumber: '55', position: ['QB', 'qb'] }), 'position');
    expect((await get(player)).body).toEqual({ data: player });
  });
});

describe('DELETE /teams/{teamId}/players/{playerId}', () => {
  it('returns 200 with only a message, removes the player from every response and keeps the record', async () => {
    const { _id } = await organization.team();
    const [deleted, kept] = [await organization.player(_id), await organization.player(_id)];
    const response = await remove(deleted).expect(200);
    expect(response.body).toEqual({ message: expect.stringMatching(/\w/) as unknown });
    expect(await readPage(listOf(_id))).toEqual({ data: [kept], total: 1 });
    expectError(await get(deleted), 40403);
    expectError(await patch(deleted, { name: 'Back' }), 40403);
    expectError(await patch(deleted, {}), 40403);
    expectError(await remove(deleted), 40403);
    const stored = (await server.database()).collection('players').findOne({ _id: new ObjectId(deleted._id) });
    expect(await stored).toMatchObject({ name: deleted['name'], deletedAt: expect.any(Date) as unknown });
  });
});

it('lists players by creation even after changes', async () => {
  const { _id } = await organization.team();
  const [first, second] = [await organization.player(_id), await organization.player(_id)];
  await patch(first, { name: 'Aaron' }).expect(200);
  expect(await readIds(listOf(_id))).toEqual([first._id, second._id]);
});

it('returns 40403 for a player of another team of the organization, who stays', async () => {
  const player = await organization.player((await organization.team())._id);
  const elsewhere = { ...player, teamId: team };
  for (const response of [await get(elsewhere), await patch(elsewhere, { name: 'Renamed' }), await remove(elsewhere)])
    expectError(response, 40403);
  expect((await get(player).expect(200)).body).toEqual({ data: player });
});
