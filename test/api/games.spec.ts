import { ObjectId } from 'mongodb';
import { type Stored, TestOrganization } from '../support/organization.js';
import { bodyOf, patchSchedule, readSchedule, secondsFromNow } from '../support/schedules.js';
import { RunningServer } from '../support/server.js';

const server = RunningServer.forTests();
const organization = TestOrganization.forTests(server);
let spring: string;
let fall: string;
let hawks: Stored;
let foxes: Stored;

beforeEach(async () => {
  [spring, fall] = [(await organization.season())._id, (await organization.season())._id];
  hawks = await organization.team({ name: 'Hawks', season: spring, externalId: `hawks-${spring}` });
  foxes = await organization.team({ name: 'Foxes', season: spring, externalId: `foxes-${spring}` });
});

const yesterday = () => secondsFromNow(-86_400);
const tomorrow = () => secondsFromNow(86_400);
const play = (fields: object) =>
  organization.schedule(hawks._id, { teamTwoId: foxes._id, teamTwoName: undefined, ...fields });
const won = { status: 'final', teamOneScore: 20, teamTwoScore: 6 };
const ids = async (path: string) => ((await organization.call('get', path).expect(200)).body as List).data;
const table = async (season: string) =>
  (await ids(`/seasons/${season}/standings`)).map(({ teamName, wins, losses }) => [teamName, wins, losses]);
const seasonOf = async ({ _id }: Stored) => (await readSchedule(organization, _id))['season'];

interface List {
  readonly data: Record<string, unknown>[];
}

const rollOvers: [string, () => PromiseLike<unknown>][] = [
  [
    'PATCH',
    async () => {
      for (const { _id } of [hawks, foxes])
        await organization.call('patch', `/teams/${_id}`).send({ season: fall }).expect(200);
    },
  ],
  [
    'bulk rows',
    () => {
      const rows = [hawks, foxes].map(({ externalId }) => ({ externalId, season: fall }));
      return organization.call('post', '/teams/bulk').send({ rows }).expect(200);
    },
  ],
];

describe('a game', () => {
  it.each(rollOvers)(
    'stays in its season when its teams change theirs by %s after it started',
    async (_by, rollOver) => {
      const played = await play({ startDate: yesterday(), ...won });
      const next = await play({ startDate: tomorrow() });
      expect([played['season'], next['season']]).toEqual([spring, spring]);
      await rollOver();
      expect([await seasonOf(played), await seasonOf(next)]).toEqual([spring, fall]);
      expect(await table(spring)).toEqual([
        ['Hawks', 1, 0],
        ['Foxes', 0, 1],
      ]);
      expect(await table(fall)).toEqual([
        ['Foxes', 0, 0],
        ['Hawks', 0, 0],
      ]);
      const listed = async (season: string) => (await ids(`/schedules?season=${season}`)).map(({ _id }) => _id);
      expect([await listed(spring), await listed(fall)]).toEqual([[played._id], [next._id]]);
    },
  );

  it('that is entered or moved later belongs to the season in which it starts', async () => {
    await rollOvers[0]?.[1]();
    const late = await play({ startDate: yesterday(), ...won });
    expect(late['season']).toBe(spring);
    expect(await table(spring)).toHaveLength(2);
    const move = { teamId: hawks._id, status: 'postponed', teamOneScore: null, teamTwoScore: null };
    const moved = await patchSchedule(organization, late._id, { ...move, startDate: tomorrow(), endDate: null });
    expect(bodyOf(moved)['season']).toBe(fall);
    const dates = { startDate: yesterday(), endDate: secondsFromNow(-80_000) };
    expect(bodyOf(await patchSchedule(organization, late._id, { teamId: hawks._id, ...dates }))['season']).toBe(spring);
  });

  it('of an older server, without a season, gets that of its team by the next upsert', async () => {
    const startDate = tomorrow();
    const game = await play({ startDate, externalId: 'old-game' });
    const schedules = (await server.database()).collection('schedules');
    await schedules.updateOne({ _id: new ObjectId(game._id) }, { $unset: { season: 1 } });
    await organization.call('patch', '/schedules/by-external-id/old-game').send({ startDate }).expect(200);
    expect(await seasonOf(game)).toBe(spring);
  });
});

it('totals for a team have what its players did for it, also those who have changed teams since', async () => {
  const kim = await organization.player(hawks._id, { name: 'Kim', jerseyNumber: '7' });
  const record = async (teamId: string, passAttempts: number, startDate: string) => {
    const game = await play({ startDate });
    const row = { playerId: kim._id, category: 'qb', stats: { passAttempts } };
    const path = `/schedules/${game._id}/player-statistics?teamId=${teamId}`;
    await organization
      .call('put', path)
      .send({ rows: [row] })
      .expect(200);
  };
  await record(hawks._id, 10, yesterday());
  const move = { teamId: foxes._id, jerseyNumber: '11' };
  await organization.call('patch', `/teams/${hawks._id}/players/${kim._id}`).send(move).expect(200);
  await record(foxes._id, 3, tomorrow());
  const totals = async (query: string) =>
    (await ids(`/seasons/${spring}/player-statistics?category=qb${query}`)).map((row) => {
      const { teamName, jerseyNumber, games, stats } = row as { stats: { passAttempts: number } } & typeof row;
      return [teamName, jerseyNumber, games, stats.passAttempts];
    });
  expect(await totals('')).toEqual([['Foxes', '11', 2, 13]]);
  expect(await totals(`&teamId=${hawks._id}`)).toEqual([['Hawks', '7', 1, 10]]);
  expect(await totals(`&teamId=${foxes._id}`)).toEqual([['Foxes', '11', 1, 3]]);
});

const startDate = '2027-05-01T10:00:00Z';
const home = () => ({ teamId: hawks._id, teamTwoId: foxes._id, startDate });
const away = () => ({ teamId: foxes._id, teamTwoId: hawks._id, startDate });
const create = (fields: object) => organization.call('post', '/schedules').send(fields).expect(201);
const warningsOf = async (sent: ReturnType<typeof create>) => bodyOf(await sent)['warnings'];
const bulk = async (rows: object[], fields: object = {}) => {
  const sent = { rows, ...fields };
  return (await organization.call('post', '/schedules/bulk').send(sent).expect(200)).body as { data: Stored[] };
};
const sameAs = (game: { _id: string }) => [
  expect.objectContaining({ code: 'sameGame', scheduleId: game._id }) as unknown,
];

describe('a second game of the same teams at the same time', () => {
  it.each<[string, () => object]>([
    ['the same side', home],
    ['the other side', away],
  ])('is created from %s, with a warning that names the first one', async (_side, second) => {
    const first = bodyOf(await create(home()));
    expect(first).not.toHaveProperty('warnings');
    expect(await warningsOf(create(second()))).toEqual(sameAs(first));
  });

  it('is named by bulk rows and upserts, each time, also in a dry run', async () => {
    const first = bodyOf(await create(away()));
    const rows = [
      { externalId: 'game-1', ...home() },
      { externalId: 'game-2', ...home(), startDate: '2027-05-01T11:00:00Z' },
    ];
    const dry = await bulk(rows, { dryRun: true });
    expect(dry.data.map(({ result, warnings }) => [result, warnings])).toEqual([
      ['created', sameAs(first)],
      ['created', undefined],
    ]);
    for (const result of ['created', 'unchanged']) {
      const { data } = await bulk(rows);
      expect(data.map((row) => [row['result'], row['warnings']])).toEqual([
        [result, sameAs(first)],
        [result, undefined],
      ]);
    }
    const upsert = organization.call('patch', '/schedules/by-external-id/game-1').send({ locationName: 'Park' });
    expect(bodyOf(await upsert.expect(200))['warnings']).toEqual(sameAs(first));
  });

  it('in one request names each other', async () => {
    const { data } = await bulk([
      { externalId: 'game-3', ...home() },
      { externalId: 'game-4', ...away() },
    ]);
    expect(data.map(({ warnings }) => warnings)).toEqual(data.toReversed().map(sameAs));
  });

  it('has no warning if it is a practice, deleted, against a guest, or at another time', async () => {
    await create({ ...home(), eventType: 'practice' });
    await create({ ...home(), startDate: '2027-05-01T10:01:00Z' });
    await create({ teamId: hawks._id, teamTwoName: 'TBD', startDate });
    const deleted = bodyOf(await create(home()));
    await organization.call('delete', `/schedules/${deleted._id}?teamId=${hawks._id}`).expect(200);
    expect(await warningsOf(create(away()))).toBeUndefined();
    expect(await warningsOf(create({ teamId: hawks._id, teamTwoName: 'TBD', startDate }))).toBeUndefined();
  });

  it('replays its warning with its idem-key', async () => {
    const first = bodyOf(await create(home()));
    const again = () => create(away()).set('idem-key', 'a-game');
    expect([await warningsOf(again()), await warningsOf(again())]).toEqual([sameAs(first), sameAs(first)]);
  });
});
