import { expectError, expectFieldError } from '../support/expectations.js';
import { FeedMirror } from '../support/feed.js';
import { createGame, qbRow } from '../support/game.js';
import { createOrganization, type Stored, TestOrganization } from '../support/organization.js';
import { RunningServer } from '../support/server.js';

const server = RunningServer.forTests();
const organization = TestOrganization.forTests(server);
let season: string;
let from: string;
let to: string;

beforeAll(async () => {
  season = (await organization.season())._id;
});
beforeEach(async () => {
  [from, to] = [(await organization.team({ season }))._id, (await organization.team({ season }))._id];
});

const pathOf = (teamId: string, { _id }: Stored) => `/teams/${teamId}/players/${_id}`;
const move = (player: Stored, teamId: unknown, fields: object = {}) =>
  organization.call('patch', pathOf(String(player['teamId']), player)).send({ ...fields, teamId });

describe('PATCH /teams/{teamId}/players/{playerId} with teamId', () => {
  it('moves the player with ID and other fields; the path of the old team returns 404 from then on', async () => {
    const player = await organization.player(from, { externalId: 'erp-7', jerseyNumber: '7' });
    const response = await move(player, to, { jerseyNumber: '12' }).expect(200);
    const moved = response.body as Stored;
    const changes = { teamId: to, jerseyNumber: '12', revision: 2, updatedAt: moved['updatedAt'] };
    expect(moved).toEqual({ ...player, ...changes });
    expect(response.headers['etag']).toBe('"2"');
    expect((await organization.call('get', pathOf(to, player)).expect(200)).body).toEqual({ data: moved });
    const byExternalId = (team: string) => organization.call('get', `/teams/${team}/players/by-external-id/erp-7`);
    expect((await byExternalId(to).expect(200)).body).toEqual({ data: moved });
    expectError(await organization.call('get', pathOf(from, player)), 40403);
    expectError(await byExternalId(from), 40403);
    expectError(await move(player, to), 40403);
    const feed = new FeedMirror(organization);
    await feed.followUntil('the move', () => feed.get('player', player._id)?.revision === 2);
    expect(feed.get('player', player._id)).toMatchObject({ teamId: to, record: moved });
  });

  it('changes nothing if the player is on the team already', async () => {
    const player = await organization.player(from);
    expect((await move(player, from.toUpperCase()).expect(200)).body).toEqual(player);
  });

  it('rejects a team of another organization, and keeps the player', async () => {
    const player = await organization.player(from);
    const { _id } = await (await createOrganization(server)).team();
    for (const teamId of [_id, 'hawks']) expectError(await move(player, teamId), 40301);
    expectFieldError(await move(player, null), 'teamId');
    expect((await organization.call('get', pathOf(from, player))).body).toEqual({ data: player });
  });

  it('rejects an external ID that is taken in the other team, unless the move changes it', async () => {
    const player = await organization.player(from, { externalId: 'erp-7' });
    await organization.player(to, { externalId: 'erp-7' });
    expectError(await move(player, to), 40905);
    await move(player, to, { externalId: 'erp-8' }).expect(200);
  });

  it('leaves one player with an external ID if two move to a team at once', async () => {
    const other = (await organization.team({ season }))._id;
    const movers = [
      await organization.player(from, { externalId: 'erp-7' }),
      await organization.player(other, { externalId: 'erp-7' }),
    ];
    const responses = await Promise.all(movers.map((player) => move(player, to)));
    expect(responses.map(({ status }) => status).sort()).toEqual([200, 409]);
  });

  it('moves to one of two teams at once, with and without If-Match', async () => {
    const other = (await organization.team({ season }))._id;
    for (const headers of [{}, { 'If-Match': '"1"' }]) {
      const player = await organization.player(from);
      const responses = await Promise.all([to, other].map((team) => move(player, team).set(headers)));
      expect(responses.map(({ status }) => status).sort()).toEqual([200, 404]);
      const [moved] = responses.filter(({ status }) => status === 200).map(({ body }) => body as Stored);
      expect(moved).toMatchObject({ revision: 2 });
    }
  });

  it('checks If-Match', async () => {
    const player = await organization.player(from);
    expectError(await move(player, to).set('If-Match', '"2"'), 41201);
    await move(player, to).set('If-Match', '"1"').expect(200);
  });

  it('does not move a deleted player', async () => {
    const player = await organization.player(from);
    await organization.call('delete', pathOf(from, player)).expect(200);
    expectError(await move(player, to), 40403);
  });

  it('keeps the team of statistics as of the game, also if they are written again', async () => {
    const game = await createGame(server);
    await game.write([qbRow(game.homePlayer, 1)]);
    const { _id: teamId } = await game.organization.team({ name: 'Foxes', season: game.home['season'] });
    const path = pathOf(game.home._id, game.homePlayer);
    await game.organization.call('patch', path).send({ teamId }).expect(200);
    const asOfGame = { teamId: game.home._id, teamName: 'Hawks', playerName: 'Jordan Lee' };
    expect(await game.read()).toMatchObject([asOfGame]);
    expect(await game.write([qbRow(game.homePlayer, 2)])).toMatchObject([asOfGame]);
  });
});

it('an upsert does not move a player: the path names the team', async () => {
  await organization.player(from, { externalId: 'erp-7' });
  const path = `/teams/${from}/players/by-external-id/erp-7`;
  expectFieldError(await organization.call('patch', path).send({ teamId: to }), 'teamId');
});
