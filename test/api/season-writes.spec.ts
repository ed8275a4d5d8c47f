import { auditPage } from '../support/audit.js';
import { expectError, expectFieldError } from '../support/expectations.js';
import { FeedMirror } from '../support/feed.js';
import { unknownId } from '../support/http-routes.js';
import { createOrganization, type Stored, TestOrganization } from '../support/organization.js';
import { readIds, readPage } from '../support/paging.js';
import { RunningServer } from '../support/server.js';
import { ObjectId } from 'mongodb';
import { eventuallyPasses } from '../support/processes.js';

const server = RunningServer.forTests();

type Body = Record<string, unknown>;

const organization = TestOrganization.forTests(server);

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
    expect(expectError(await post({ externalId: 'erp-1' }), 40905).message).toContain(season._id);
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

describe('GET /seasons', () => {
  it('orders shared and own seasons by startDate, newest first, then by _id', async () => {
    const starting = (year: number) => ({ startDate: `${year}-01-01T00:00:00Z`, endDate: `${year}-12-31T00:00:00Z` });
    const middle = await organization.season(starting(2181));
    const newest = await organization.season({ ...starting(2182), organizationId: undefined });
    const oldest = await organization.season(starting(2180));
    const together = await organization.season(starting(2181));
    const created = [middle, newest, oldest, together].map(({ _id }) => _id);
    const shown = (await readIds(list, '?limit=100')).filter((id) => created.includes(id));
    expect(shown).toEqual([newest._id, ...[middle._id, together._id].sort(), oldest._id]);
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
    const { _id: other } = await create({ externalId: 'erp-3' });
    expect(expectError(await patch(season._id, { externalId: 'erp-3' }), 40905).message).toContain(other);
    expect(await stored(season)).toEqual(response.body);
  });

  it('names the key as who changed a season of an admin, and the admin as who changed it again', async () => {
    const season = await organization.season();
    const changed = (await patch(season._id, { name: 'Fall 2027' }).expect(200)).body as Stored;
    expect(changed).toMatchObject({ changedBy: { type: 'key' }, revision: 2 });
    const again = server.asSuperAdmin('patch', `/seasons/${season._id}`).send({ name: 'Spring 2027' });
    expect((await again.expect(200)).body).toMatchObject({ changedBy: { type: 'admin' }, revision: 3 });
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

describe('the rules of the standings of a season', () => {
  const rules = {
    ...{ tiebreakers: ['points', 'headToHead', 'points'], differenceCap: 28, winPoints: 3, tiePoints: 0 },
    forfeitScore: { winner: 1, loser: 0 },
  };
  const patchAsAdmin = (id: string, body: Body) => server.asSuperAdmin('patch', `/seasons/${id}`).send(body);
  const postAsAdmin = (body: Body) =>
    server.asSuperAdmin('post', '/seasons').send({ name: 'Fall 2027', ...dates, ...body });

  it('are stored as sent in both APIs, replaced as a whole, and cleared with null', async () => {
    for (const [send, change] of [
      [post, patch],
      [postAsAdmin, patchAsAdmin],
    ] as const) {
      const season = (await send({ standings: rules }).expect(201)).body as Stored;
      expect(season).toMatchObject({ standings: rules, revision: 1 });
      for (const sent of [Object.entries(rules), Object.entries(rules).reverse()]) {
        const repeated = { standings: Object.fromEntries<unknown>(sent) };
        expect((await change(season._id, repeated).expect(200)).body).toEqual(season);
      }
      const standings = { tiebreakers: ['wins'] };
      expect((await change(season._id, { standings }).expect(200)).body).toMatchObject({ standings, revision: 2 });
      const empty = (await change(season._id, { standings: {} }).expect(200)).body as Stored;
      expect(empty).toHaveProperty('standings', {});
      const cleared = (await change(season._id, { standings: null }).expect(200)).body as Stored;
      expect(cleared).toMatchObject({ revision: 4 });
      expect(cleared).not.toHaveProperty('standings');
    }
  });

  const invalid: [string, unknown][] = [
    ['standings', []],
    ['standings', 'points'],
    ...[[], 'wins', ['ties'], [['wins']], Array<string>(21).fill('wins'), null].map(
      (sent) => ['standings.tiebreakers', sent] as [string, unknown],
    ),
    ...[0, 100, 1.5, '3'].map((sent) => ['standings.differenceCap', sent] as [string, unknown]),
    ['standings.winPoints', -1],
    ['standings.tiePoints', 100],
    ['standings.forfeitScore', '1-0'],
    ['standings.forfeitScore.loser', 2],
    ['standings.forfeitScore.winner', 1_000],
    ['standings.coinFlip', true],
  ];
  it('have no invalid values', async () => {
    for (const [field, value] of invalid) {
      const [, rule, side] = field.split('.');
      const nested = side === undefined ? value : { winner: 1, loser: 0, [side]: value };
      const standings = rule === undefined ? value : { [rule]: nested };
      expectFieldError(await post({ standings }), field);
    }
  });
});

it('changes of seasons are audited with the key or the admin, and in the feed with revision and external ID', async () => {
  const { _id } = await create({ externalId: 'erp-4' });
  const changes = { name: 'Fall 2027', standings: { tiebreakers: ['wins'], forfeitScore: { winner: 1, loser: 0 } } };
  await patch(_id, changes).expect(200);
  const ofAdmin = { name: 'Fall 2027', endDate: '2027-07-01T00:00:00.000Z' };
  // Nothing is recorded if no field gets another value.
  for (const body of [{}, { name: 'Fall 2027' }, ofAdmin])
    await server.asSuperAdmin('patch', `/seasons/${_id}`).send(body).expect(200);
  const { data } = await auditPage(server, `organizationId=${organization.id}&limit=100`);
  const actor = { kind: 'apiKey', keyPrefix: organization.key.keyPrefix };
  const target = { kind: 'season', _id };
  const events = data.filter(({ target: of }) => of?._id === _id);
  expect(events).toMatchObject([
    { action: 'updateSeason', actor: { kind: 'user', role: 'superAdmin' }, target },
    { action: 'updateSeason', actor, target, changes },
    { action: 'createSeason', actor, target, changes: { externalId: 'erp-4' } },
  ]);
  expect(events[0]?.changes).toEqual({ endDate: ofAdmin.endDate });
  const feed = new FeedMirror(organization);
  await feed.followUntil('the season', () => feed.get('season', _id)?.revision === 3);
  expect(feed.get('season', _id)).toMatchObject({ externalId: 'erp-4', record: changes });
});

describe('a season of an admin', () => {
  const organization = TestOrganization.forTests(server, beforeEach);
  let season: Stored;

  beforeEach(async () => {
    season = await organization.season();
  });

  const patch = (body: object, id = season._id) => server.asSuperAdmin('patch', `/seasons/${id}`).send(body);
  const list = (query: object) => server.asSuperAdmin('get', '/seasons').query(query);

  async function read(): Promise<Stored | undefined> {
    const { data } = (await organization.call('get', '/seasons?limit=100').expect(200)).body as { data: Stored[] };
    return data.find(({ _id }) => _id === season._id);
  }

  describe('PATCH /seasons/{id}', () => {
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

    it('and POST return 40406 for an unknown organization', async () => {
      expectError(await list({ organizationId: unknownId }), 40406);
      const body = { name: 'Spring 2027', ...dates, organizationId: unknownId };
      expectError(await server.asSuperAdmin('post', '/seasons').send(body), 40406);
    });
  });
});

describe('a cached season', () => {
  it('gets no new teams after it was moved to another organization or removed', async () => {
    const { _id: season } = await organization.season();
    for (let times = 0; times < 5; times++) await organization.team({ season });
    // An operator can do what no route does.
    const seasons = (await server.database()).collection('seasons');
    const _id = new ObjectId(season);
    const other = await createOrganization(server);
    await seasons.updateOne({ _id }, { $set: { organizationId: new ObjectId(other.id) } });
    const create = () => organization.call('post', '/teams').send({ name: 'Hawks', season });
    await eventuallyPasses(async () => void expectError(await create(), 40302));
    await seasons.deleteOne({ _id });
    await eventuallyPasses(async () => void expectError(await create(), 40404));
  });
});
