import { createOrganization, type Stored } from '../support/organization.js';
import { readIds, readPage } from '../support/paging.js';
import { cheapHashes, preload } from '../support/preload.js';
import { RunningServer } from '../support/server.js';

const server = RunningServer.forTests(() => RunningServer.start(preload(cheapHashes)));

const seasonsOf = (organization: { call: (method: 'get', path: string) => ReturnType<RunningServer['call']> }) => {
  return (query: string) => organization.call('get', `/seasons${query}`);
};

async function createSharedSeason(fields: Record<string, unknown> = {}): Promise<Stored> {
  const season = { name: 'All of 2027', startDate: '2027-01-01T00:00:00Z', endDate: '2027-12-31T00:00:00Z', ...fields };
  const response = await server.asSuperAdmin('post', '/seasons').send(season).expect(201);
  return response.body as Stored;
}

describe('GET /seasons', () => {
  it("returns the organization's own season with exactly the documented fields", async () => {
    const organization = await createOrganization(server);
    const created = await organization.season({
      name: 'Spring 2190',
      startDate: '2190-03-01T02:00:00+02:00',
      endDate: '2190-06-30T00:00:00.25Z',
    });
    const { data } = await readPage(seasonsOf(organization));
    const instant: unknown = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    expect(data.find(({ _id }) => _id === created._id)).toEqual({
      _id: expect.stringMatching(/^[0-9a-f]{24}$/) as unknown,
      name: 'Spring 2190',
      startDate: '2190-03-01T00:00:00.000Z',
      endDate: '2190-06-30T00:00:00.250Z',
      organizationId: organization.id,
      revision: 1,
      changedBy: { type: 'admin' },
      createdAt: instant,
      updatedAt: instant,
    });
  });

  it("lists shared seasons and the organization's own, never another organization's", async () => {
    const [organization, other] = [await createOrganization(server), await createOrganization(server)];
    const before = await readIds(seasonsOf(organization), '?limit=100');
    const shared = await createSharedSeason();
    const [own, foreign] = [await organization.season(), await other.season()];
    const page = await readPage(seasonsOf(organization), '?limit=100');
    expect(page.data.map(({ _id }) => _id).sort()).toEqual([...before, shared._id, own._id].sort());
    expect(page.total).toBe(before.length + 2);
    expect(await readIds(seasonsOf(other), '?limit=100')).toEqual(expect.arrayContaining([shared._id, foreign._id]));
  });

  it('orders shared and own seasons by startDate, newest first, then by _id', async () => {
    const organization = await createOrganization(server);
    const starting = (year: number) => ({ startDate: `${year}-01-01T00:00:00Z`, endDate: `${year}-12-31T00:00:00Z` });
    const middle = await organization.season(starting(2181));
    const newest = await createSharedSeason(starting(2182));
    const oldest = await organization.season(starting(2180));
    const together = await organization.season(starting(2181));
    const created = [middle, newest, oldest, together].map(({ _id }) => _id);
    const shown = (await readIds(seasonsOf(organization), '?limit=100')).filter((id) => created.includes(id));
    expect(shown).toEqual([newest._id, ...[middle._id, together._id].sort(), oldest._id]);
  });
});
