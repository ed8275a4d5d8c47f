import { createOrganization, type Stored, TestOrganization } from '../support/organization.js';
import { expectPages, readPage, readIds } from '../support/paging.js';
import { RunningServer } from '../support/server.js';
import { expectError, expectFieldError } from '../support/expectations.js';

const server = RunningServer.forTests();

/** For tests that create nothing, or check only what they created. */
const organization = TestOrganization.forTests(server);
let season: string;

beforeAll(async () => {
  season = (await organization.season())._id;
});

type Body = Record<string, unknown>;
const create = (body: Body) => organization.call('post', '/teams').send({ name: 'Hawks', season, ...body });
const teamsOf = (of: TestOrganization) => (query: string) => of.call('get', `/teams${query}`);
const instant: unknown = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

describe('POST /teams', () => {
  it('returns 201 with the unwrapped team and the defaults flag, open, coed and not archived', async () => {
    const response = await create({}).expect(201);
    expect(response.body).toEqual({
      _id: expect.stringMatching(/^[0-9a-f]{24}$/) as unknown,
      name: 'Hawks',
      season,
      footballType: 'flag',
      ageGroup: 'open',
      gender: 'coed',
      isArchived: false,
      organizationId: organization.id,
      revision: 1,
      changedBy: organization.asChangedBy(),
      createdAt: instant,
      updatedAt: instant,
    });
  });

  it('trims texts, which needs one copy of class-transformer in the built server', async () => {
    expect((await create({ name: ' Bay Hawks ' }).expect(201)).body).toMatchObject({ name: 'Bay Hawks' });
  });
});

describe('GET /teams', () => {
  it('returns pages by creation, 20 by default or 1 to 100, with the exact total on each', async () => {
    const own = await createOrganization(server);
    const inSeason = (await own.season())._id;
    const ids: string[] = [];
    for (let index = 0; index < 22; index++) {
      ids.push((await own.team({ season: inSeason, name: `Team ${22 - index}` }))._id);
    }
    await expectPages(teamsOf(own), ids);
  });
});

describe('GET /teams with filters', () => {
  let own: TestOrganization;
  let seasons: [Stored, Stored];
  let teams: Stored[];
  const ids = (query: string) => readIds((path) => own.call('get', `/teams${path}`), query);

  beforeAll(async () => {
    own = await createOrganization(server);
    seasons = [await own.season(), await own.season()];
    teams = [];
    for (let index = 0; index < 6; index++)
      teams.push(await own.team({ season: seasons[index % 2]?._id, externalId: `team-${index}` }));
    for (const index of [2, 3])
      await own
        .call('patch', `/teams/${teams[index]?._id ?? ''}`)
        .send({ isArchived: true })
        .expect(200);
  });

  const at = (...indexes: number[]) => indexes.map((index) => teams[index]?._id);

  it('lists the teams that match every filter, oldest first', async () => {
    const [first, second] = [seasons[0]._id, seasons[1]._id];
    expect(await ids(`?season=${first}`)).toEqual(at(0, 2, 4));
    expect(await ids(`?season=${second.toUpperCase()}`)).toEqual(at(1, 3, 5));
    expect(await ids('?isArchived=true')).toEqual(at(2, 3));
    expect(await ids('?externalId=team-4')).toEqual(at(4));
    expect(await ids(`?season=${first}&isArchived=false`)).toEqual(at(0, 4));
    expect(await ids(`?season=${first}&isArchived=true&externalId=team-2`)).toEqual(at(2));
    const page = await readPage((path) => own.call('get', `/teams${path}`), `?season=${first}&limit=2`);
    expect([page.data.length, page.total]).toEqual([2, 3]);
  });
});

const startDate = '2027-05-01T10:00:00Z';
let [hawks, foxes]: Stored[] = [];

beforeAll(async () => {
  hawks = await organization.team({ externalId: 'hawks', name: 'Hawks' });
  foxes = await organization.team({ externalId: 'foxes', name: 'Foxes' });
});

const teams = { teamExternalId: 'hawks', teamTwoExternalId: 'foxes' };
const createSchedule = (body: object) => organization.call('post', '/schedules').send({ startDate, ...body });
const upsert = (externalId: string, body: object) =>
  organization.call('patch', `/schedules/by-external-id/${externalId}`).send(body);
const bulk = (...rows: object[]) => organization.call('post', '/schedules/bulk').send({ rows });
const asTeams = () => ({ teamOneId: hawks?._id, teamTwoId: foxes?._id, teamTwoName: 'Foxes' });

describe('a request that names teams by external IDs', () => {
  it('creates the same schedule as one with their IDs', async () => {
    const expected = { ...asTeams(), teamId: hawks?._id, eventTitle: 'Hawks vs Foxes' };
    expect((await createSchedule(teams).expect(201)).body).toMatchObject(expected);
    expect((await upsert('g-1', { ...teams, startDate }).expect(201)).body).toMatchObject(expected);
    await bulk({ externalId: 'g-2', ...teams, startDate }).expect(200);
    const read = await organization.call('get', '/schedules/by-external-id/g-2').expect(200);
    expect(read.body).toMatchObject({ data: expected });
  });

  it('updates a schedule, and leaves one with these teams unchanged', async () => {
    const game = (await createSchedule({ teamId: hawks?._id, teamTwoName: 'Guests', externalId: 'g-3' }))
      .body as Stored;
    const patch = (body: object) => organization.call('patch', `/schedules/${game._id}`).send(body);
    expect((await patch(teams).expect(200)).body).toMatchObject({ ...asTeams(), revision: 2 });
    expect((await upsert('g-3', teams).expect(200)).body).toMatchObject({ revision: 2 });
    expect((await bulk({ externalId: 'g-3', ...teams })).body).toMatchObject({ data: [{ result: 'unchanged' }] });
    expectError(await patch({ teamExternalId: 'foxes' }), 40304);
    expectFieldError(await patch({ locationName: 'Field 3' }), 'teamId');
  });

  it('moves a player', async () => {
    const player = await organization.player(String(hawks?._id));
    const path = `/teams/${hawks?._id}/players/${player._id}`;
    const moved = await organization.call('patch', path).send({ teamExternalId: 'foxes' }).expect(200);
    expect(moved.body).toMatchObject({ _id: player._id, teamId: foxes?._id });
  });

  it('has no game of a team against itself, whichever IDs name it', async () => {
    expectFieldError(await createSchedule({ teamExternalId: 'hawks', teamTwoId: hawks?._id }), 'teamTwoId');
  });

  it.each<[string, object, string]>([
    ['both IDs of the owner', { teamId: 'x', ...teams }, 'teamExternalId'],
    ['both IDs of the opponent', { teamTwoId: 'x', ...teams }, 'teamTwoExternalId'],
    ['a malformed ID', { ...teams, teamExternalId: 'a b' }, 'teamExternalId'],
    ['null', { ...teams, teamExternalId: null }, 'teamExternalId'],
    ['none of the owner', { teamTwoExternalId: 'foxes' }, 'teamId'],
  ])('is rejected with %s', async (_what, body, field) => {
    expectFieldError(await createSchedule(body), field);
    const answer = (await bulk({ externalId: 'g-9', startDate, ...body })).body as object;
    expect(answer).toMatchObject({ data: [{ error: { error: 40001, details: [{ field }] } }] });
  });

  it('is rejected if it unlinks the opponent, too', async () => {
    const game = await organization.schedule(String(hawks?._id));
    const path = `/schedules/${game._id}`;
    expectFieldError(await organization.call('patch', path).send({ ...teams, teamTwoId: null }), 'teamTwoExternalId');
  });

  it.each(['teamExternalId', 'teamTwoExternalId'])('is forbidden with an unknown %s', async (field) => {
    const { details } = expectError(await createSchedule({ ...teams, [field]: 'nobody' }), 40301);
    expect(details?.map((one) => one.field)).toEqual([field]);
  });
});
