import { ObjectId } from 'mongodb';
import { expectFieldError } from '../support/expectations.js';
import { createOrganization, type Stored, TestOrganization } from '../support/organization.js';
import { expectPages, readPage } from '../support/paging.js';
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

  it('stores the organization of the key and its creator as createdBy, which is not returned', async () => {
    const { _id } = (await create({}).expect(201)).body as Stored;
    const stored = await (await server.database()).collection('teams').findOne({ _id: new ObjectId(_id) });
    expect(String(stored?.['organizationId'])).toBe(organization.id);
    expect(String(stored?.['createdBy'])).toBe(organization.creator._id);
  });

  it('reports every missing field of a request without a body', async () => {
    const error = expectFieldError(await organization.call('post', '/teams'), 'name');
    expect(error.details?.map(({ field }) => field).sort()).toEqual(['name', 'season']);
  });
});

describe('GET /teams', () => {
  it('lists a team with the same fields as on creation', async () => {
    const own = await createOrganization(server);
    const team = await own.team({ logoUrl: 'https://cdn.example.com/logo.png' });
    expect(await readPage(teamsOf(own))).toEqual({ data: [team], total: 1 });
    expect(team['logoUrl']).toBe('https://cdn.example.com/logo.png');
  });

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
