import { auditPage } from '../support/audit.js';
import { expectError, expectFieldError } from '../support/expectations.js';
import { FeedMirror } from '../support/feed.js';
import { unknownId } from '../support/http-routes.js';
import { createOrganization, type Stored, TestOrganization } from '../support/organization.js';
import { readPage } from '../support/paging.js';
import { RunningServer } from '../support/server.js';

type Body = Record<string, unknown>;

const server = RunningServer.forTests();
const organization = TestOrganization.forTests(server, beforeEach);

const dates = { startDate: '2027-03-01T00:00:00.000Z', endDate: '2027-06-30T00:00:00.000Z' };
const post = (fields: Body = {}, of = organization) =>
  of.call('post', '/seasons').send({ name: 'Spring 2027', ...dates, ...fields });
const create = async (fields: Body = {}) => (await post(fields).expect(201)).body as Stored;
const patch = (id: string, body: Body) => organization.call('patch', `/seasons/${id}`).send(body);
const list = (query: string) => organization.call('get', `/seasons${query}`);
const stored = async ({ _id }: Stored) => (await readPage(list, '?limit=100')).data.find((each) => each._id === _id);

describe('POST /seasons', () => {
  it("creates a season of the key's organization, in which teams can play", async () => {
    const response = await post({ externalId: 'erp-2027' }).expect(201);
    const season = response.body as Stored;
    expect(response.headers['etag']).toBe('"1"');
    const fields = { name: 'Spring 2027', ...dates, externalId: 'erp-2027', organizationId: organization.id };
    const changedBy = { type: 'key', name: 'Registration platform', keyPrefix: organization.key.keyPrefix };
    expect(season).toMatchObject({ ...fields, revision: 1, changedBy });
    expect(await stored(season)).toEqual(season);
    await organization.team({ season: season._id });
    expectError(await (await createOrganization(server)).call('patch', `/seasons/${season._id}`).send({}), 40302);
  });

  it('rejects a taken external ID, which another organization can use', async () => {
    const season = await create({ externalId: 'erp-1' });
    expectError(await post({ externalId: 'erp-1' }), 40905);
    await post({ externalId: 'erp-1' }, await createOrganization(server)).expect(201);
    expect(await readPage(list, '?externalId=erp-1')).toEqual({ data: [season], total: 1 });
    await patch(season._id, { externalId: null }).expect(200);
    await create({ externalId: 'erp-1' });
  });

  it('rejects an end at the start, and another organization', async () => {
    expectFieldError(await post({ endDate: dates.startDate }), 'endDate');
    expectFieldError(await post({ organizationId: organization.id }), 'organizationId');
  });
});

describe('PATCH /seasons/{seasonId}', () => {
  it('changes the sent fields, and nothing if they are the same', async () => {
    const season = await create();
    const response = await patch(season._id, { name: 'Fall 2027', externalId: 'erp-2' }).expect(200);
    const { updatedAt } = response.body as Body;
    expect(response.body).toEqual({ ...season, name: 'Fall 2027', externalId: 'erp-2', revision: 2, updatedAt });
    expect(response.headers['etag']).toBe('"2"');
    expect((await patch(season._id, { name: 'Fall 2027' }).expect(200)).body).toEqual(response.body);
    expectFieldError(await patch(season._id, { endDate: dates.startDate }), 'endDate');
    await create({ externalId: 'erp-3' });
    expectError(await patch(season._id, { externalId: 'erp-3' }), 40905);
    expect(await stored(season)).toEqual(response.body);
  });

  it('names the key as who changed a season of an admin, and the admin as who changed it again', async () => {
    const season = await organization.season();
    const changed = (await patch(season._id, { name: 'Fall 2027' }).expect(200)).body as Stored;
    expect(changed).toMatchObject({ changedBy: { type: 'key' }, revision: 2 });
    const again = server.asSuperAdmin('patch', `/seasons/${season._id}`).send({ name: 'Spring 2027' });
    expect((await again.expect(200)).body).toMatchObject({ changedBy: { type: 'admin' }, revision: 3 });
  });

  it('with If-Match succeeds for one of several writers at once', async () => {
    const season = await create();
    const write = (index: number) => patch(season._id, { name: `Fall ${index}` }).set('If-Match', '"1"');
    const responses = await Promise.all([1, 2, 3, 4].map(write));
    expect(responses.map(({ status }) => status).sort()).toEqual([200, 412, 412, 412]);
    for (const response of responses.filter(({ status }) => status === 412)) expectError(response, 41201);
    expect(await stored(season)).toMatchObject({ revision: 2 });
  });

  it('rejects a shared season, one of another organization, and an unknown one', async () => {
    const body = { name: 'All of 2199', startDate: '2199-01-01T00:00:00Z', endDate: '2199-12-31T00:00:00Z' };
    const shared = (await server.asSuperAdmin('post', '/seasons').send(body).expect(201)).body as Stored;
    const foreign = await (await createOrganization(server)).season();
    for (const { _id } of [shared, foreign]) expectError(await patch(_id, { name: 'Mine' }), 40302);
    expect(await stored(shared)).toEqual(shared);
    expectError(await patch(unknownId, { name: 'Mine' }), 40404);
  });
});

it('changes of seasons are audited with the key, and in the feed with revision and external ID', async () => {
  const { _id } = await create({ externalId: 'erp-4' });
  await patch(_id, { name: 'Fall 2027' }).expect(200);
  const { data } = await auditPage(server, `organizationId=${organization.id}&limit=100`);
  const actor = { kind: 'apiKey', keyPrefix: organization.key.keyPrefix };
  const target = { kind: 'season', _id };
  expect(data.filter(({ target: of }) => of?._id === _id)).toMatchObject([
    { action: 'updateSeason', actor, target, changes: { name: 'Fall 2027' } },
    { action: 'createSeason', actor, target, changes: { externalId: 'erp-4' } },
  ]);
  const feed = new FeedMirror(organization);
  await feed.followUntil('the season', () => feed.get('season', _id)?.revision === 2);
  expect(feed.get('season', _id)).toMatchObject({ externalId: 'erp-4', record: { name: 'Fall 2027' } });
});
