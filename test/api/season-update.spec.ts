import { auditPage } from '../support/audit.js';
import { expectError, expectFieldError } from '../support/expectations.js';
import { unknownId } from '../support/http-routes.js';
import { createOrganization, type Stored, TestOrganization } from '../support/organization.js';
import { RunningServer } from '../support/server.js';

const server = RunningServer.forTests();
const organization = TestOrganization.forTests(server, beforeEach);
let season: Stored;

beforeEach(async () => {
  season = await organization.season();
});

const patch = (body: object, id = season._id) => server.asSuperAdmin('patch', `/seasons/${id}`).send(body);
const update = async (body: object) => (await patch(body).expect(200)).body as Stored;
const list = (query: object) => server.asSuperAdmin('get', '/seasons').query(query);

async function read(): Promise<Stored | undefined> {
  const { data } = (await organization.call('get', '/seasons?limit=100').expect(200)).body as { data: Stored[] };
  return data.find(({ _id }) => _id === season._id);
}

async function updatesOf(id: string) {
  const { data } = await auditPage(server, 'action=updateSeason&limit=100');
  return data.filter(({ target }) => target?._id === id);
}

describe('PATCH /seasons/{id}', () => {
  it('changes the sent fields and keeps the others, for partners too', async () => {
    const changed = await update({ name: ' Fall 2027 ', endDate: '2027-07-01T02:00+02:00' });
    const { updatedAt, ...rest } = changed;
    const { updatedAt: before, ...kept } = season;
    expect(rest).toEqual({ ...kept, name: 'Fall 2027', endDate: '2027-07-01T00:00:00.000Z', revision: 2 });
    expect(Date.parse(String(updatedAt))).toBeGreaterThanOrEqual(Date.parse(String(before)));
    expect(await read()).toEqual(changed);
  });

  it('moves both dates at once, past the stored ones', async () => {
    const dates = { startDate: '2030-01-01T00:00:00.000Z', endDate: '2030-02-01T00:00:00.000Z' };
    expect(await update(dates)).toMatchObject(dates);
  });

  it.each<[object, string]>([
    [{ endDate: '2027-03-01T00:00:00Z' }, 'endDate'],
    [{ startDate: '2027-06-30T00:00:00Z' }, 'startDate'],
    [{ startDate: '2030-02-01T00:00:00Z', endDate: '2030-01-01T00:00:00Z' }, 'endDate'],
  ])('rejects %j, because the season would not end after its start', async (body, field) => {
    expectFieldError(await patch({ name: 'Never', ...body }), field);
    expect(await read()).toEqual(season);
  });

  it('never stores dates that only fit separately when two changes arrive at once', async () => {
    for (let round = 0; round < 5; round++) {
      season = await organization.season();
      const responses = await Promise.all([
        patch({ startDate: '2027-06-01T00:00:00Z' }),
        patch({ endDate: '2027-05-01T00:00:00Z' }),
      ]);
      expect(responses.map(({ status }) => status).sort()).toEqual([200, 400]);
      const stored = await read();
      expect(String(stored?.['startDate']) < String(stored?.['endDate'])).toBe(true);
    }
  });

  it('applies two changes of different fields at once', async () => {
    await Promise.all([update({ name: 'Fall 2027' }), update({ endDate: '2027-08-01T00:00:00Z' })]);
    expect(await read()).toMatchObject({ name: 'Fall 2027', endDate: '2027-08-01T00:00:00.000Z' });
  });

  it('records who changed what, and nothing if no field gets another value', async () => {
    const { name, startDate } = season as Record<string, unknown>;
    for (const same of [{}, { name, startDate }]) expect(await update(same)).toEqual(season);
    expect(await updatesOf(season._id)).toEqual([]);
    await update({ name, endDate: '2027-07-01T00:00:00Z' });
    expect(await updatesOf(season._id)).toMatchObject([
      {
        actor: { kind: 'user', role: 'superAdmin' },
        organizationId: organization.id,
        target: { kind: 'season', _id: season._id },
        changes: { endDate: '2027-07-01T00:00:00.000Z' },
      },
    ]);
    expect(Object.keys((await updatesOf(season._id))[0]?.changes ?? {})).toEqual(['endDate']);
  });

  it('returns 40404 for an unknown season', async () => {
    expectError(await patch({ name: 'A' }, unknownId), 40404);
  });

  it('rejects another organization, naming the field', async () => {
    expectFieldError(await patch({ organizationId: unknownId }), 'organizationId');
  });
});

describe('GET /seasons?organizationId=', () => {
  it('lists only the seasons of the organization, newest first, without shared ones', async () => {
    const later = await organization.season({ startDate: '2028-01-01T00:00:00Z', endDate: '2028-02-01T00:00:00Z' });
    await (await createOrganization(server)).season();
    const response = await list({ organizationId: organization.id.toUpperCase() }).expect(200);
    expect(response.body).toEqual({ data: [later, season], total: 2 });
    const second = await list({ organizationId: organization.id, limit: 1, page: 2 }).expect(200);
    expect(second.body).toEqual({ data: [season], total: 2 });
  });

  it('returns 40406 for an unknown organization', async () => {
    expectError(await list({ organizationId: unknownId }), 40406);
  });
});
