import { expectFieldError, expectError } from '../support/expectations.js';
import { createGame, qbRow, type StatisticsRow, type TestGame } from '../support/game.js';
import { RunningServer } from '../support/server.js';

let server: RunningServer;
/** A game with one row, which no test of this file changes. */
let game: TestGame;
let before: StatisticsRow[];

beforeAll(async () => {
  server = await RunningServer.shared();
  game = await createGame(server);
  before = await game.write([qbRow(game.homePlayer, 4)]);
});

afterAll(() => server.stop());

const awayRow = (category: string, stats: unknown) => ({ playerId: game.awayPlayer._id, category, stats });

describe('a row is rejected and changes nothing if', () => {
  it.each<[string, () => unknown, string]>([
    ['the player has the category twice', () => qbRow(game.homePlayer, 2), 'playerId'],
    [
      'the same player is named in upper case',
      () => ({ ...qbRow(game.homePlayer), playerId: game.homePlayer._id.toUpperCase() }),
      'playerId',
    ],
    ['the player is unknown', () => qbRow({ _id: 'f'.repeat(24) }), 'playerId'],
    ['the player is missing', () => ({ category: 'qb', stats: {} }), 'playerId'],
    ['the category is unknown', () => awayRow('kicking', {}), 'category'],
    ['the category is in upper case', () => awayRow('QB', {}), 'category'],
    ['the stats are missing', () => awayRow('qb', undefined), 'stats'],
    ['the stats are a list', () => awayRow('qb', []), 'stats'],
    ['the stats are null', () => awayRow('qb', null), 'stats'],
    ['a team is sent', () => ({ ...awayRow('qb', {}), teamId: game.away._id }), 'teamId'],
    ['rates are sent', () => ({ ...awayRow('qb', {}), derived: {} }), 'derived'],
  ])('%s', async (_what, row, field) => {
    await game.expectRowRejected(row(), `rows[1].${field}`);
  });

  it.each([null, 'row', 1, [[]]])('it is %j instead of an object', async (row) => {
    await game.expectRowRejected(row, 'rows[1]');
  });

  it.each(['__proto__', 'constructor', 'prototype', 'toString'])(
    'it has the key %s, in itself or in its stats',
    async (key) => {
      const text = JSON.stringify({ rows: [qbRow(game.homePlayer), awayRow('qb', {})] });
      const put = (body: string) =>
        server.asSuperAdmin('put', game.adminPath).set('Content-Type', 'application/json').send(body);
      expectFieldError(await put(text.replace(/"stats":\{\}/, `"stats":{"${key}":1}`)), `rows[1].stats.${key}`);
      expectFieldError(await put(text.replace(/"stats":\{\}/, `"stats":{},"${key}":{}`)), `rows[1].${key}`);
      expect(await game.read()).toEqual(before);
    },
  );
});

describe('a player of neither team is rejected and changes nothing', () => {
  it('if the player is in a third team of the organization', async () => {
    const third = await game.organization.team({ name: 'Owls' });
    await game.expectRowRejected(qbRow(await game.organization.player(third._id)), 'rows[1].playerId');
  });

  it('if the player is in another organization', async () => {
    await game.expectRowRejected(qbRow((await createGame(server)).homePlayer), 'rows[1].playerId');
  });

  it('if the player was deleted and had no row in this game', async () => {
    const { organization, home } = game;
    const player = await organization.player(home._id);
    await organization.call('delete', `/teams/${home._id}/players/${player._id}`).expect(200);
    await game.expectRowRejected(qbRow(player), 'rows[1].playerId');
  });

  it('if the opponent is a guest, so that only one team has players', async () => {
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
    ['with rows that are a string', { rows: '[]' }, 'rows'],
    ['with an unknown field', { rows: [], scheduleId: 'x' }, 'scheduleId'],
  ])('%s is rejected, naming the field, and changes nothing', async (_what, body, field) => {
    expectFieldError(await server.asSuperAdmin('put', game.adminPath).send(body), field);
    expect(await game.read()).toEqual(before);
  });

  it('that is a list returns 40000', async () => {
    expectError(await server.asSuperAdmin('put', game.adminPath).send([qbRow(game.homePlayer)]), 40000);
  });

  it('with several invalid rows has every error reported, the first in the message', async () => {
    const response = await game.put([
      awayRow('qb', { completions: -1 }),
      awayRow('punt', { punts: 'x', spikes: 1 }),
      awayRow('kicking', {}),
    ]);
    const { details } = expectFieldError(response, 'rows[0].stats.completions');
    expect(details?.map(({ field }) => field)).toEqual([
      'rows[0].stats.completions',
      'rows[1].stats.punts',
      'rows[1].stats.spikes',
      'rows[2].category',
    ]);
  });

  it('with a hundred invalid rows has fifty errors reported', async () => {
    const rows = Array.from({ length: 100 }, () => null);
    expect(expectFieldError(await game.put(rows), 'rows[0]').details).toHaveLength(50);
  });
});
