import { createOrganization, type Stored, TestOrganization } from '../support/organization.js';
import { expectPages, readPage, readIds } from '../support/paging.js';
import { RunningServer } from '../support/server.js';

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
