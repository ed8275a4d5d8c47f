import type request from 'supertest';
import { expectError } from '../support/expectations.js';
import { createGame } from '../support/game.js';
import { type Stored, TestOrganization } from '../support/organization.js';
import { RunningServer } from '../support/server.js';
import { kindNames, type SynchronizedRecords, synchronizedRecords } from '../support/synchronized.js';

const server = RunningServer.forTests();
const organization = TestOrganization.forTests(server);

/** The values of a header, and which of them name a current revision of 2; undefined if malformed. */
const values: [value: string, names: boolean | 'any' | undefined][] = [
  ['*', 'any'],
  ['"2"', true],
  ['W/"2"', true],
  ['"7", W/"2"', true],
  ['"1"', false],
  ['"2-gzip"', false],
  ['"abc"', false],
  ['""', false],
  ['"02"', false],
  ['2', undefined],
  ['"2', undefined],
  ['*, "2"', undefined],
  ['"2" "2"', undefined],
  ['"2",', undefined],
  ['W/2', undefined],
  ['w/"2"', undefined],
];
const headers = ['If-Match', 'If-None-Match'] as const;
const cases = headers.flatMap((header) => values.map(([value, names]) => ({ header, value, names })));
/** One that holds and one that does not, for each route: all have one rule. */
const someCases = cases.filter(({ value }) => value === '*' || value === '"1"');

interface Target {
  /** Sends a read or a write of a record whose revision is 2, or of none. */
  readonly send: () => request.Test;
  readonly isWrite?: true;
  /** The status without a record: 201 if the write creates one. */
  readonly missing?: number;
}

/** What RFC 9110 (13.1, 13.2) says about a request whose response is 2xx without the header. */
function expected({ header, names }: (typeof cases)[number], { isWrite, missing }: Target): number | 'success' {
  if (names === undefined) return 400;
  if (missing !== undefined) return missing === 201 && header === 'If-Match' ? 412 : missing;
  if (header === 'If-Match') return names === false ? 412 : 'success';
  return names === false ? 'success' : isWrite ? 412 : 304;
}

async function expectOutcome(target: Target, each: (typeof cases)[number]): Promise<void> {
  const response = await target.send().set(each.header, each.value);
  const status = expected(each, target);
  expect([each, response.status < 300 && status !== 201 ? 'success' : response.status]).toEqual([each, status]);
  if (status === 412) expectError(response, 41201);
}

it('each form of the headers is evaluated by a read and a write', async () => {
  const records = await synchronizedRecords('player', organization);
  const record = (await records.create().expect(201)).body as Stored;
  await records.patch(record, { name: 'Changed' }).expect(200);
  for (const each of cases) {
    await expectOutcome({ send: () => records.read(`/${record._id}`) }, each);
    // Without a change, so that the revision stays.
    await expectOutcome({ send: () => records.patch(record, {}), isWrite: true }, each);
  }
  // The fetch of Node adds Cache-Control.
  const read = records.read(`/${record._id}`).set({ 'If-None-Match': '"2"', 'Cache-Control': 'no-cache' });
  const { text, headers } = await read.expect(304);
  expect([text, headers]).toEqual([
    '',
    expect.objectContaining({ etag: '"2"', 'x-request-id': expect.any(String) as string }),
  ]);
});

describe.each(kindNames)('the revision of a %s', (kind) => {
  let records: SynchronizedRecords;
  const change = (record: Stored, value: string) => records.patch(record, { [records.field]: value });

  beforeAll(async () => {
    records = await synchronizedRecords(kind, organization);
  });

  it('is 1 on creation and 1 more with every change, in the body and as ETag, which no list has', async () => {
    const response = await records.create({ externalId: 'counted' }).expect(201);
    const record = response.body as Stored;
    expect([record['revision'], response.headers['etag']]).toEqual([1, '"1"']);
    // The last one changes nothing.
    for (const [value, revision] of [
      ['One', 2],
      ['Two', 3],
      ['Two', 3],
    ] as const) {
      const changed = await change(record, value).expect(200);
      expect([(changed.body as Stored)['revision'], changed.headers['etag']]).toEqual([revision, `"${revision}"`]);
    }
    expect((await records.upsert('counted', {}).expect(200)).headers['etag']).toBe('"3"');
    expect((await records.read('').expect(200)).headers).not.toHaveProperty('etag');
  });

  it('as If-Match lets exactly one of several writers succeed', async () => {
    const record = (await records.create().expect(201)).body as Stored;
    const writes = ['A', 'B', 'C', 'D', 'E', 'F'].map((value) => change(record, value).set('If-Match', '"1"'));
    const statuses = (await Promise.all(writes)).map(({ status }) => status).sort();
    expect(statuses).toEqual([200, ...Array<number>(5).fill(412)]);
  });
});

it.each(kindNames)('the preconditions of a %s are evaluated on every read and write', async (kind) => {
  const records = await synchronizedRecords(kind, organization);
  const remove = (path: string) => records.organization.call('delete', records.path + path);
  const create = async (): Promise<Stored> => {
    const record = (await records.create({ externalId: 'one' }).expect(201)).body as Stored;
    return (await records.patch(record, { [records.field]: 'Changed' }).expect(200)).body as Stored;
  };
  let record = await create();
  for (const [index, each] of someCases.entries()) {
    const targets: Target[] = [
      { send: () => records.read(`/${record._id}`) },
      { send: () => records.read('/by-external-id/one') },
      // Without a change, so that the revision stays.
      { send: () => records.patch(record, {}), isWrite: true },
      { send: () => records.upsert('one', {}), isWrite: true },
      { send: () => records.upsert(`new-${index}`, records.body), isWrite: true, missing: 201 },
      { send: () => records.upsert('missing', records.body).query({ updateOnly: true }), isWrite: true, missing: 404 },
      { send: () => records.read('/by-external-id/missing'), missing: 404 },
      { send: () => remove('/by-external-id/missing'), isWrite: true, missing: 404 },
    ];
    for (const target of targets) await expectOutcome(target, each);
    const owner = kind === 'schedule' ? `?teamId=${String(record['teamId'])}` : '';
    // The deletion of a team takes a second.
    for (const path of [...(kind === 'team' ? [] : [() => `/${record._id}${owner}`]), () => '/by-external-id/one']) {
      await expectOutcome({ send: () => remove(path()), isWrite: true }, each);
      const read = await records.read('/by-external-id/one');
      if (read.status === 404) record = await create();
      else expect(read.headers['etag']).toBe('"2"');
    }
  }
});

it('the statistics of a game and a season are conditional, too', async () => {
  const { organization, schedule } = await createGame(server);
  const path = `/schedules/${schedule._id}/player-statistics`;
  const write = () => organization.call('put', path).send({ rows: [] });
  const season = (await organization.call('post', '/seasons').send(seasonBody).expect(201)).body as Stored;
  const update = () => organization.call('patch', `/seasons/${season._id}`).send({ name: 'Changed' });
  await update().expect(200);
  // Their version is a hash.
  const computed = ['standings', 'player-statistics?category=qb'].map(
    (name) => () => organization.call('get', `/seasons/${season._id}/${name}`),
  );
  for (const each of someCases) {
    await expectOutcome({ send: () => organization.call('get', path) }, each);
    await expectOutcome({ send: write, isWrite: true }, each);
    await expectOutcome({ send: update, isWrite: true }, each);
    for (const send of computed) await expectOutcome({ send }, each);
  }
});

it.each(kindNames)('of several upserts with If-None-Match: * at once, one creates the %s', async (kind) => {
  const records = await synchronizedRecords(kind, organization);
  const create = (index: number) => records.upsert('new', { ...records.body, [records.field]: `Writer ${index}` });
  const responses = await Promise.all([1, 2, 3, 4].map((index) => create(index).set('If-None-Match', '*')));
  expect(responses.map(({ status }) => status).sort()).toEqual([201, 412, 412, 412]);
  const created = responses.find(({ status }) => status === 201)?.body as Stored;
  expect((await records.read('/by-external-id/new').expect(200)).body).toEqual({ data: created });
});

it('a write must satisfy both headers, and changes nothing if it does not', async () => {
  const records = await synchronizedRecords('team', organization);
  const record = (await records.create({ externalId: 'both' }).expect(201)).body as Stored;
  const change = (ifMatch: string, ifNoneMatch: string) =>
    records.patch(record, { [records.field]: 'Changed' }).set({ 'If-Match': ifMatch, 'If-None-Match': ifNoneMatch });
  for (const tag of ['"1"', '"2"', '*']) expectError(await change(tag, tag), 41201);
  expect((await records.read(`/${record._id}`).expect(200)).body).toEqual({ data: record });
  await change('"1"', '"2"').expect(200);
});

it.each<[string, () => string | Promise<string>]>([
  ['organization', () => `/organizations/${organization.id}`],
  ['API key', () => `/api-keys/${organization.key.id}`],
  ['season', async () => `/seasons/${(await organization.season())._id}`],
])('a super admin updates an %s only with the expected revision, of several writers one', async (_kind, create) => {
  const path = await create();
  const rename = (name: string) => server.asSuperAdmin('patch', path).send({ name });
  const revisionAfter = async (name: string) => Number(((await rename(name).expect(200)).body as Stored)['revision']);
  const first = await revisionAfter('First');
  const second = await revisionAfter('Second');
  expect(second).toBeGreaterThan(first);
  expectError(await rename('Third').set('If-Match', `"${first}"`), 41201);
  expectError(await rename('Second').set('If-Match', `"${first}"`), 41201);
  for (const sent of ['*', `"${second}"`]) expectError(await rename('Third').set('If-None-Match', sent), 41201);
  expect(await revisionAfter('Second')).toBe(second);
  const writes = ['A', 'B', 'C', 'D'].map((name) =>
    rename(name).set({ 'If-Match': `"${second}"`, 'If-None-Match': `"${first}"` }),
  );
  const statuses = (await Promise.all(writes)).map(({ status }) => status).sort();
  expect(statuses).toEqual([200, 412, 412, 412]);
});

const seasonBody = { name: 'Own', startDate: '2027-03-01T00:00:00Z', endDate: '2027-07-01T00:00:00Z' };
