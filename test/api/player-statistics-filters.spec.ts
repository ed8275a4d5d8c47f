import { statisticsCategories } from '../../src/modules/statistics/rules/statistics-table.js';
import { expectFieldError, expectError } from '../support/expectations.js';
import { createGame, createGameWithAllCategories, qbRow, type StatisticsRow, type TestGame } from '../support/game.js';
import { createOrganization } from '../support/organization.js';
import { RunningServer } from '../support/server.js';

let server: RunningServer;
/** Has rows of both players in every category; for tests that only read. */
let game: TestGame;

beforeAll(async () => {
  server = await RunningServer.shared();
  game = await createGameWithAllCategories(server);
});

afterAll(() => server.stop());

const categoriesOf = (rows: StatisticsRow[]) => [...new Set(rows.map(({ category }) => category))];

describe('the parameter categories', () => {
  it.each<[string, string, string[]]>([
    ['one', 'categories=punt', ['punt']],
    ['several separated by commas', 'categories=return,qb', ['qb', 'return']],
    ['several by repeating the parameter', 'categories=return&categories=qb', ['qb', 'return']],
    ['both at once', 'categories=return,qb&categories=punt', ['qb', 'punt', 'return']],
    ['a repeated one', 'categories=qb,qb&categories=qb', ['qb']],
    ['an escaped comma', 'categories=qb%2Cpunt', ['qb', 'punt']],
    ['all', `categories=${statisticsCategories.join(',')}`, [...statisticsCategories]],
  ])('accepts %s', async (_how, query, expected) => {
    const response = await game.organization.call('get', `${game.adminPath}?${query}`).expect(200);
    const { data, total } = response.body as { data: StatisticsRow[]; total: number };
    expect(categoriesOf(data)).toEqual(expected);
    expect([data.length, total]).toEqual([expected.length * 2, expected.length * 2]);
  });

  it.each([
    'categories=',
    'categories=kicking',
    'categories=QB',
    'categories=qb,kicking',
    'categories=qb,',
    'categories=,',
    'categories=qb&categories=',
    'categories=qb;punt',
    'categories=toString',
  ])('rejects ?%s', async (query) => {
    expectFieldError(await game.organization.call('get', `${game.adminPath}?${query}`), 'categories');
  });
});

describe('the parameter teamId', () => {
  it('limits the rows to one team', async () => {
    for (const [team, player] of [
      [game.home, game.homePlayer],
      [game.away, game.awayPlayer],
    ] as const) {
      const rows = await game.read({ teamId: team._id });
      expect(rows).toHaveLength(5);
      expect(new Set(rows.map(({ teamId, playerId }) => `${teamId} ${playerId}`))).toEqual(
        new Set([`${team._id} ${player._id}`]),
      );
      expect(await game.read({ teamId: team._id.toUpperCase(), categories: 'qb' })).toHaveLength(1);
    }
  });

  it('rejects a team of the organization that does not play', async () => {
    const other = await game.organization.team({ name: 'Owls' });
    expectFieldError(await game.get({ teamId: other._id }), 'teamId');
  });

  it.each(['nonsense', 'f'.repeat(24), ' '.repeat(24) + 'x'])(
    'returns 40301 for %s, which is not a team of the organization',
    async (teamId) => {
      expectError(await game.get({ teamId }), 40301);
    },
  );

  it("returns 40301 for another organization's team, even if the schedule is unknown", async () => {
    const foreign = (await createGame(server)).home._id;
    expectError(await game.get({ teamId: foreign }), 40301);
    const unknown = `/schedules/${'f'.repeat(24)}/player-statistics?teamId=${foreign}`;
    expectError(await game.organization.call('get', unknown), 40301);
  });

  it.each(['teamId=', 'teamId=%20', `teamId=${'f'.repeat(24)}&teamId=${'e'.repeat(24)}`])(
    'rejects ?%s',
    async (query) => {
      expectFieldError(await game.organization.call('get', `${game.adminPath}?${query}`), 'teamId');
    },
  );
});

describe('the schedule', () => {
  const read = (scheduleId: string) => game.organization.call('get', `/schedules/${scheduleId}/player-statistics`);

  it("returns 404 if it is unknown or deleted, 400 if malformed and 403 if it is another organization's", async () => {
    expectError(await read('f'.repeat(24)), 40402);
    expectFieldError(await read('nonsense'), 'scheduleId');
    expectError(await read((await createGame(server)).schedule._id), 40302);
    const own = await createGame(server);
    await own.write([qbRow(own.homePlayer)]);
    await own.organization.call('delete', `/schedules/${own.schedule._id}?teamId=${own.home._id}`).expect(200);
    expectError(await own.get(), 40402);
  });

  it('can be a practice, which has no rows', async () => {
    const practice = await game.organization.schedule(game.home._id, { eventType: 'practice' });
    expect((await read(practice._id).expect(200)).body).toEqual({ data: [], total: 0 });
  });

  it('requires an integration key of the organization, not an admin token', async () => {
    const other = await createOrganization(server);
    const path = `/v1/public-api${game.adminPath}`;
    const login = await server.login(game.organization.creator.email, game.organization.creator.password);
    expectError(await server.call('get', path), 40101);
    expectError(await game.organization.call('get', game.adminPath, login), 40101);
    expectError(await other.call('get', game.adminPath), 40302);
  });
});
