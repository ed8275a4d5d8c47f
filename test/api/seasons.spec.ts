import { createOrganization, type Stored } from '../support/organization.js';
import { readIds, readPage } from '../support/paging.js';
import { RunningServer } from '../support/server.js';
import { randomUUID } from 'node:crypto';
import { expectFieldError, expectError } from '../support/expectations.js';

const server = RunningServer.forTests({});

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

describe('seasons of admins', () => {
  interface Page {
    data: Stored[];
    total: number;
  }

  const seasonBody = (fields: object = {}) => ({
    name: 'Spring 2027',
    startDate: '2027-03-01T00:00:00Z',
    endDate: '2027-06-30T00:00:00Z',
    ...fields,
  });
  const create = (body: object) => server.asSuperAdmin('post', '/seasons').send(body);
  const list = (query: object) => server.asSuperAdmin('get', '/seasons').query(query);

  async function listAllSeasons(): Promise<Stored[]> {
    const all: Stored[] = [];
    for (let page = 1; ; page++) {
      const { data, total } = (await list({ page, limit: 100 }).expect(200)).body as Page;
      all.push(...data);
      if (data.length === 0) {
        expect(all).toHaveLength(total);
        return all;
      }
    }
  }

  describe('POST /seasons', () => {
    it('returns a season of one organization, with dates in UTC and milliseconds', async () => {
      const { id } = await createOrganization(server);
      const response = await create(
        seasonBody({ name: '  Spring 2027 ', startDate: '2027-03-01T02:00+02:00', organizationId: id }),
      );

      expect(response.status).toBe(201);
      const { _id, createdAt, updatedAt, ...rest } = response.body as Stored;
      expect(rest).toEqual({
        name: 'Spring 2027',
        startDate: '2027-03-01T00:00:00.000Z',
        endDate: '2027-06-30T00:00:00.000Z',
        organizationId: id,
        revision: 1,
        changedBy: { type: 'admin' },
      });
      expect(_id).toMatch(/^[0-9a-f]{24}$/);
      expect(createdAt).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
      expect(updatedAt).toBe(createdAt);
    });

    it('omits organizationId for a season of all organizations', async () => {
      expect((await create(seasonBody()).expect(201)).body).not.toHaveProperty('organizationId');
    });

    it('returns 40406 for an unknown organization and creates nothing', async () => {
      const name = `Never created ${randomUUID()}`;
      expectError(await create(seasonBody({ name, organizationId: 'f'.repeat(24) })), 40406);
      expect((await listAllSeasons()).some((season) => season['name'] === name)).toBe(false);
    });

    it.each<[string, object, string]>([
      ['an end at the start, in another time zone', { endDate: '2027-03-01T01:00:00+01:00' }, 'endDate'],
      ['a blank name', { name: '   ' }, 'name'],
    ])('rejects %s, naming the field', async (_what, fields, field) => {
      expectFieldError(await create(seasonBody(fields)), field);
    });
  });

  describe('GET /seasons', () => {
    it('lists the seasons of all organizations and the shared ones, latest start first, then by ID', async () => {
      const [one, other] = [await createOrganization(server), await createOrganization(server)];
      const created: Stored[] = [];
      for (const [organizationId, year] of [
        [one.id, 2031],
        [other.id, 2033],
        [undefined, 2032],
        [one.id, 2032],
        [other.id, 2032],
      ] as const) {
        const fields = { startDate: `${year}-01-01T00:00:00Z`, endDate: `${year}-02-01T00:00:00Z`, organizationId };
        created.push((await create(seasonBody(fields)).expect(201)).body as Stored);
      }

      const all = await listAllSeasons();

      const ids = new Set(created.map(({ _id }) => _id));
      const listed = all.filter(({ _id }) => ids.has(_id));
      const [first, second, third, fourth, fifth] = created;
      const sameYear = [third, fourth, fifth].sort((a, b) => ((a?._id ?? '') < (b?._id ?? '') ? -1 : 1));
      expect(listed).toEqual([second, ...sameYear, first]);
      const starts = all.map((season) => String(season['startDate']));
      expect(starts).toEqual(starts.toSorted().reverse());
    });
  });
});
