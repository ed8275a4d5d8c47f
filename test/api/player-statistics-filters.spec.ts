import { expectFieldError, expectError } from '../support/expectations.js';
import { createGame, qbRow, type SentRow, type StatisticsRow, type TestGame } from '../support/game.js';
import { createOrganization } from '../support/organization.js';
import { RunningServer } from '../support/server.js';

const categories = ['qb', 'offensive', 'defensive', 'punt', 'return'];

let server: RunningServer;
/** A game in which both players have a row of every category: for tests that only read. */
let game: TestGame;

beforeAll(async () => {
  server = await RunningServer.shared();
  game = await createGame(server);
  await game.write(
    [game.homePlayer, game.awayPlayer].flatMap(({ _id }) =>
      categories.map((category): SentRow => ({ playerId: _id, category, stats: {} })),
    ),
  );
});

afterAll(() => server.stop());

const categoriesOf = (rows: StatisticsRow[]) => [...new Set(rows.map(({ category }) => category))];

describe('the parameter categories', () => {
  it.each<[string, string, string[]]>([
    ['one', 'categories=punt', ['punt']],
    ['several by commas', 'categories=return,qb', ['qb', 'return']],
    ['several by repeating', 'categories=return&categories=qb', ['qb', 'return']],
    ['both at once', 'categories=return,qb&categories=punt', ['qb', 'punt', 'return']],
    ['one twice', 'categories=qb,qb&categories=qb', ['qb']],
    ['an escaped comma', 'categories=qb%2Cpunt', ['qb', 'punt']],
    ['all', `categories=${categories.join(',')}`, categories],
  ])('takes %s', async (_how, query, expected) => {
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
  ])('is refused as ?%s', async (query) => {
    expectFieldError(await game.organization.call('get', `${game.adminPath}?${query}`), 'categories');
  });
});

describe('the parameter teamId', () => {
  it('limits the rows to either side', async () => {
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

  it('of a team of the organization that does not play is refused as wrong', async () => {
    const other = await game.organization.team({ name: 'Owls' });
    expectFieldError(await game.get({ teamId: other._id }), 'teamId');
  });

  it.each(['nonsense', 'f'.repeat(24), ' '.repeat(24) + 'x'])(
    'that is no team of the organization (%s) is forbidden',
    async (teamId) => {
      expectError(await game.get({ teamId }), 40301);
    },
  );

  it("of another organization's team is forbidden, also where the schedule is unknown", async () => {
    const foreign = (await createGame(server)).home._id;
    expectError(await game.get({ teamId: foreign }), 40301);
    const unknown = `/schedules/${'f'.repeat(24)}/player-statistics?teamId=${foreign}`;
    expectError(await game.organization.call('get', unknown), 40301);
  });

  it.each(['teamId=', 'teamId=%20', `teamId=${'f'.repeat(24)}&teamId=${'e'.repeat(24)}`])(
    'is refused as ?%s',
    async (query) => {
      expectFieldError(await game.organization.call('get', `${game.adminPath}?${query}`), 'teamId');
    },
  );
});

describe('the schedule of the statistics', () => {
  const read = (scheduleId: string) => game.organization.call('get', `/schedules/${scheduleId}/player-statistics`);

  it('is refused where it is unknown, deleted, malformed or of another organization', async () => {
    expectError(await read('f'.repeat(24)), 40402);
    expectFieldError(await read('nonsense'), 'scheduleId');
    expectError(await read((await createGame(server)).schedule._id), 40302);
    const own = await createGame(server);
    await own.write([qbRow(own.homePlayer)]);
    await own.organization.call('delete', `/schedules/${own.schedule._id}?teamId=${own.home._id}`).expect(200);
    expectError(await own.get(), 40402);
  });

  it('may be a practice, which has no rows', async () => {
    const practice = await game.organization.schedule(game.home._id, { eventType: 'practice' });
    expect((await read(practice._id).expect(200)).body).toEqual({ data: [], total: 0 });
  });

  it('is not read without an integration key, nor with the login of an admin', async () => {
    const other = await createOrganization(server);
    const path = `/v1/public-api${game.adminPath}`;
    const login = await server.login(game.organization.creator.email, game.organization.creator.password);
    expectError(await server.call('get', path), 40101);
    expectError(await game.organization.call('get', game.adminPath, login), 40101);
    expectError(await other.call('get', game.adminPath), 40302);
  });
});
