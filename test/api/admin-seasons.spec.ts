import { randomUUID } from 'node:crypto';
import { expectFieldError, expectError } from '../support/expectations.js';
import { createOrganization, type Stored } from '../support/organization.js';
import { cheapHashes, preload } from '../support/preload.js';
import { RunningServer } from '../support/server.js';

interface Page {
  data: Stored[];
  total: number;
}

const server = RunningServer.forTests(() => RunningServer.start(preload(cheapHashes)));

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

  it('rejects an invalid parameter by name', async () => {
    expectFieldError(await list({ organizationId: 'bay-area' }), 'organizationId');
  });
});
