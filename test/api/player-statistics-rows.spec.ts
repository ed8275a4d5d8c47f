import { expectFieldError, expectError } from '../support/expectations.js';
import { createGame, qbRow, type StatisticsRow, type TestGame } from '../support/game.js';
import { RunningServer } from '../support/server.js';

let server: RunningServer;
/** One game with a row: no test of this file may change it. */
let game: TestGame;
let before: StatisticsRow[];

beforeAll(async () => {
  server = await RunningServer.shared();
  game = await createGame(server);
  before = await game.write([qbRow(game.homePlayer, 4)]);
});

afterAll(() => server.stop());

const ofAway = (category: string, stats: unknown) => ({ playerId: game.awayPlayer._id, category, stats });

describe('a row changes nothing and is named where', () => {
  it.each<[string, () => unknown, string]>([
    ['the player has the category twice', () => qbRow(game.homePlayer, 2), 'playerId'],
    [
      'the player is the same in capitals',
      () => ({ ...qbRow(game.homePlayer), playerId: game.homePlayer._id.toUpperCase() }),
      'playerId',
    ],
    ['the player is unknown', () => qbRow({ _id: 'f'.repeat(24) }), 'playerId'],
    ['the player is missing', () => ({ category: 'qb', stats: {} }), 'playerId'],
    ['the category is unknown', () => ofAway('kicking', {}), 'category'],
    ['the category is in capitals', () => ofAway('QB', {}), 'category'],
    ['the stats are missing', () => ofAway('qb', undefined), 'stats'],
    ['the stats are a list', () => ofAway('qb', []), 'stats'],
    ['the stats are null', () => ofAway('qb', null), 'stats'],
    ['a team is sent', () => ({ ...ofAway('qb', {}), teamId: game.away._id }), 'teamId'],
    ['rates are sent', () => ({ ...ofAway('qb', {}), derived: {} }), 'derived'],
  ])('%s', async (_what, row, field) => {
    await game.expectRowRejected(row(), `rows[1].${field}`);
  });

  it.each([null, 'row', 1, [[]]])('it is no object but %j', async (row) => {
    await game.expectRowRejected(row, 'rows[1]');
  });

  it.each(['__proto__', 'constructor', 'prototype', 'toString'])(
    'it has the key %s, in itself or in its stats',
    async (key) => {
      const text = JSON.stringify({ rows: [qbRow(game.homePlayer), ofAway('qb', {})] });
      const put = (body: string) =>
        server.asSuperAdmin('put', game.adminPath).set('Content-Type', 'application/json').send(body);
      expectFieldError(await put(text.replace(/"stats":\{\}/, `"stats":{"${key}":1}`)), `rows[1].stats.${key}`);
      expectFieldError(await put(text.replace(/"stats":\{\}/, `"stats":{},"${key}":{}`)), `rows[1].${key}`);
      expect(await game.read()).toEqual(before);
    },
  );
});

describe('a player of neither team changes nothing and is named', () => {
  it('where the player is of a third team of the organization', async () => {
    const third = await game.organization.team({ name: 'Owls' });
    await game.expectRowRejected(qbRow(await game.organization.player(third._id)), 'rows[1].playerId');
  });

  it('where the player is of another organization', async () => {
    await game.expectRowRejected(qbRow((await createGame(server)).homePlayer), 'rows[1].playerId');
  });

  it('where the player was deleted and had no row in this game', async () => {
    const { organization, home } = game;
    const player = await organization.player(home._id);
    await organization.call('delete', `/teams/${home._id}/players/${player._id}`).expect(200);
    await game.expectRowRejected(qbRow(player), 'rows[1].playerId');
  });

  it('where the opponent is a guest by name only, so that just the own team has players', async () => {
    const { organization, home, away, homePlayer, awayPlayer } = game;
    const guest = await organization.schedule(home._id, { teamTwoName: String(away['name']) });
    const path = `/schedules/${guest._id}/player-statistics`;
    const put = (rows: unknown) => server.asSuperAdmin('put', path).send({ rows });
    expectFieldError(await put([qbRow(homePlayer), qbRow(awayPlayer)]), 'rows[1].playerId');
    await put([qbRow(homePlayer)]).expect(200);
  });
});

describe('the body', () => {
  it.each<[string, object, string]>([
    ['without rows', {}, 'rows'],
    ['with rows that are null', { rows: null }, 'rows'],
    ['with rows that are an object', { rows: {} }, 'rows'],
    ['with rows that are a text', { rows: '[]' }, 'rows'],
    ['with an unknown field', { rows: [], scheduleId: 'x' }, 'scheduleId'],
  ])('%s is refused, naming the field, and changes nothing', async (_what, body, field) => {
    expectFieldError(await server.asSuperAdmin('put', game.adminPath).send(body), field);
    expect(await game.read()).toEqual(before);
  });

  it('that is a list is refused as malformed', async () => {
    expectError(await server.asSuperAdmin('put', game.adminPath).send([qbRow(game.homePlayer)]), 40000);
  });

  it('with several wrong rows has every problem named, the first in the message', async () => {
    const response = await game.put([
      ofAway('qb', { completions: -1 }),
      ofAway('punt', { punts: 'x', spikes: 1 }),
      ofAway('kicking', {}),
    ]);
    const { details } = expectFieldError(response, 'rows[0].stats.completions');
    expect(details?.map(({ field }) => field)).toEqual([
      'rows[0].stats.completions',
      'rows[1].stats.punts',
      'rows[1].stats.spikes',
      'rows[2].category',
    ]);
  });

  it('with a hundred wrong rows has fifty problems named', async () => {
    const rows = Array.from({ length: 100 }, () => null);
    expect(expectFieldError(await game.put(rows), 'rows[0]').details).toHaveLength(50);
  });
});
