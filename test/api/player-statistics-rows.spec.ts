import { expectFieldError } from '../support/expectations.js';
import { createGame, qbRow, type TestGame } from '../support/game.js';
import { RunningServer } from '../support/server.js';

const server = RunningServer.forTests();
/** A game with one row, which no test of this file changes. */
let game: TestGame;

beforeAll(async () => {
  game = await createGame(server);
  await game.write([qbRow(game.homePlayer, 4)]);
});

const awayRow = (category: string, stats: unknown) => ({ playerId: game.awayPlayer._id, category, stats });

describe('a row is rejected and changes nothing if', () => {
  it.each<[string, () => unknown, string]>([
    ['the player has the category twice', () => qbRow(game.homePlayer, 2), 'playerId'],
    ['the player is unknown', () => qbRow({ _id: 'f'.repeat(24) }), 'playerId'],
    ['the category is unknown', () => awayRow('kicking', {}), 'category'],
    ['a counter is out of range', () => awayRow('qb', { longestPass: 111 }), 'stats.longestPass'],
    ['a part exceeds its total', () => awayRow('punt', { punts: 1, touchbacks: 2 }), 'stats.touchbacks'],
    ['rates are sent', () => ({ ...awayRow('qb', {}), derived: {} }), 'derived'],
  ])('%s', async (_what, row, field) => {
    await game.expectRowRejected(row(), `rows[1].${field}`);
  });
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
