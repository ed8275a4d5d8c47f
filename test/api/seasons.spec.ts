import { createOrganization, type Stored } from '../support/organization.js';
import { readIds } from '../support/paging.js';
import { RunningServer } from '../support/server.js';
import { randomUUID } from 'node:crypto';
import { expectError } from '../support/expectations.js';

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
  const seasonBody = (fields: object = {}) => ({
    name: 'Spring 2027',
    startDate: '2027-03-01T00:00:00Z',
    endDate: '2027-06-30T00:00:00Z',
    ...fields,
  });
  const create = (body: object) => server.asSuperAdmin('post', '/seasons').send(body);

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
      expect(await (await server.database()).collection('seasons').countDocuments({ name })).toBe(0);
    });
  });
});
