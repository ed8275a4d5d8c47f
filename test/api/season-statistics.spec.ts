import { expectFieldError } from '../support/expectations.js';
import { type Stored, TestOrganization } from '../support/organization.js';
import { RunningServer } from '../support/server.js';

const server = RunningServer.forTests();
const organization = TestOrganization.forTests(server);
let season: string;
let hawks: Stored;
let foxes: Stored;
let players: Record<'kim' | 'lee' | 'sam', Stored>;
let game: Stored;

interface Total {
  playerName: string;
  games: number;
  stats: Record<string, number | null>;
  derived: Record<string, number | null>;
}

beforeAll(async () => {
  season = (await organization.season())._id;
  hawks = await organization.team({ name: 'Hawks', season });
  foxes = await organization.team({ name: 'Foxes', season });
  players = {
    kim: await organization.player(hawks._id, { name: 'Kim', jerseyNumber: '7' }),
    lee: await organization.player(hawks._id, { name: 'Lee' }),
    sam: await organization.player(foxes._id, { name: 'Sam' }),
  };
  game = await play();
  await put(game, 'kim', { passAttempts: 10, completions: 5, passingYards: 100, longestPass: 40 });
  await put(
    await play(),
    'kim',
    { passAttempts: 20, completions: 20, passingYards: 50, longestPass: 12, safetiesTaken: 1 },
    {
      sam: { passAttempts: 1, completions: 1 },
      lee: { passAttempts: 0 },
    },
  );
});

const play = (fields: object = {}, of = hawks) =>
  organization.schedule(of._id, { teamTwoId: foxes._id, teamTwoName: undefined, ...fields });

async function put({ _id }: Stored, name: 'kim', stats: object, others: object = {}): Promise<void> {
  const rows = Object.entries({ [name]: stats, ...others }).map(([player, counters]) => ({
    playerId: players[player as 'kim']._id,
    category: 'qb',
    stats: counters,
  }));
  await server.asSuperAdmin('put', `/schedules/${_id}/player-statistics`).send({ rows }).expect(200);
}

const get = (query = '?category=qb', of = organization) =>
  of.call('get', `/seasons/${season}/player-statistics${query}`);
const totals = async (query?: string) => ((await get(query).expect(200)).body as { data: Total[] }).data;
const names = async (query: string) => (await totals(query)).map(({ playerName }) => playerName);

describe('GET /seasons/{seasonId}/player-statistics', () => {
  it('adds up counters, keeps the longest, and computes rates from the sums', async () => {
    const [kim] = await totals();
    expect(kim).toMatchObject({
      category: 'qb',
      playerId: players.kim._id,
      playerName: 'Kim',
      jerseyNumber: '7',
      teamId: hawks._id,
      teamName: 'Hawks',
      games: 2,
      stats: {
        passAttempts: 30,
        completions: 25,
        passingYards: 150,
        longestPass: 40,
        safetiesTaken: 1,
        sacksTaken: null,
      },
      // Not 75, the average of 50 % and 100 %.
      derived: { completionPercentage: 83.3, yardsPerAttempt: 5, passerRating: null },
    });
    expect(Object.keys(kim?.stats ?? {})).toHaveLength(16);
  });

  it('computes a rate from the games that track all of its counters, whatever is missing in others', async () => {
    const [of, other] = [(await organization.season())._id, await organization.team()];
    const team = await organization.team({ season: of });
    const { _id: playerId } = await organization.player(team._id);
    for (const stats of [
      { passAttempts: 10, completions: 4, passingYards: 30 },
      { passAttempts: 10, completions: null, passingYards: 50 },
      { passAttempts: null, completions: 9, passingYards: 90 },
    ]) {
      const { _id } = await organization.schedule(team._id, { teamTwoId: other._id, teamTwoName: undefined });
      const rows = [{ playerId, category: 'qb', stats }];
      await server.asSuperAdmin('put', `/schedules/${_id}/player-statistics`).send({ rows }).expect(200);
    }
    const path = `/seasons/${of}/player-statistics?category=qb`;
    expect((await organization.call('get', path).expect(200)).body).toMatchObject({
      data: [
        {
          stats: { passAttempts: 20, completions: 13, passingYards: 170 },
          // 4 of 10, 80 yards of 20 attempts and 120 of 13 completions.
          derived: { completionPercentage: 40, yardsPerAttempt: 4, yardsPerCompletion: 9.2, passerRating: null },
        },
      ],
    });
  });

  it('does not count test games, scrimmages, cancelled and deleted games, and games of another season', async () => {
    const other = await organization.team({ name: 'Other' });
    const deleted = await play();
    const cancelled = await play();
    const noGames = [deleted, cancelled, await play({ isTestGame: true }), await play({ isScrimmage: true })];
    for (const one of noGames) await put(one, 'kim', { passAttempts: 1 });
    const { _id: away } = await organization.team({ name: 'Away' });
    const guest = { playerId: players.kim._id, category: 'qb', teamId: other._id, stats: { passAttempts: 1 } };
    const elsewhere = await play({ teamTwoId: away }, other);
    const path = `/schedules/${elsewhere._id}/player-statistics`;
    await server
      .asSuperAdmin('put', path)
      .send({ rows: [guest] })
      .expect(200);
    await organization.call('delete', `/schedules/${deleted._id}?teamId=${hawks._id}`).expect(200);
    const cancel = { teamId: hawks._id, status: 'cancelled' };
    await organization.call('patch', `/schedules/${cancelled._id}`).send(cancel).expect(200);
    expect((await totals())[0]).toMatchObject({ games: 2, stats: { passAttempts: 30 } });
  });

  it('sorts by a counter or rate, greatest first and untracked last, filters by team and pages', async () => {
    expect(await names('?category=qb')).toEqual(['Kim', 'Lee', 'Sam']);
    expect(await names('?category=qb&sort=completionPercentage')).toEqual(['Sam', 'Kim', 'Lee']);
    expect(await names('?category=qb&sort=completions')).toEqual(['Kim', 'Sam', 'Lee']);
    expect(await names(`?category=qb&teamId=${foxes._id}`)).toEqual(['Sam']);
    const page = (await get('?category=qb&limit=1&page=2').expect(200)).body as { data: Total[]; total: number };
    expect([page.data[0]?.playerName, page.data.length, page.total]).toEqual(['Lee', 1, 3]);
    expect(await names('?category=punt')).toEqual([]);
  });

  it.each([
    ['', 'category'],
    ['?category=qb&sort=receptions', 'sort'],
    ['?category=qb&sort=playerName', 'sort'],
    ['?category=qb&cursor=x', 'cursor'],
  ])('rejects %s and names %s', async (query, field) => {
    expectFieldError(await get(query), field);
  });

  it('shows the present name, or that of the latest row of a deleted player, and sends 304 until something changes', async () => {
    const path = `/teams/${hawks._id}/players/${players.kim._id}`;
    let etag = String((await get().expect(200)).headers['etag']);
    const expectChange = async (name: string) => {
      const response = await get().set('If-None-Match', etag).expect(200);
      expect((response.body as { data: Total[] }).data.map(({ playerName }) => playerName)).toContain(name);
      etag = String(response.headers['etag']);
      await get().set('If-None-Match', etag).expect(304);
    };
    await organization.call('patch', path).send({ name: 'Kimberly' }).expect(200);
    await expectChange('Kimberly');
    await organization.call('delete', path).expect(200);
    await expectChange('Kim');
    await server.asSuperAdmin('put', `/schedules/${game._id}/player-statistics`).send({ rows: [] }).expect(200);
    await expectChange('Kim');
    expect((await totals())[0]).toMatchObject({ games: 1, stats: { passAttempts: 20 } });
  });
});
