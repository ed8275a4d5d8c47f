import type request from 'supertest';
import { expectError } from '../support/expectations.js';
import { createGame } from '../support/game.js';
import { createOrganization, type Stored } from '../support/organization.js';
import { RunningServer } from '../support/server.js';
import { kindNames, synchronizedRecords } from '../support/synchronized.js';

const server = RunningServer.forTests();

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
/** One that holds and one that does not, for each further resource: all have one rule. */
const someCases = cases.filter(({ value }) => value === '*' || value === '"1"');
const casesOf = { player: cases, team: someCases, schedule: someCases };

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

describe.each(kindNames)('the preconditions of a %s', (kind) => {
  it.each(casesOf[kind])('are evaluated on every read and write: $header: $value', async (each) => {
    const organization = await createOrganization(server);
    const records = await synchronizedRecords(kind, organization);
    const owner = (record: Stored) => (kind === 'schedule' ? `?teamId=${String(record['teamId'])}` : '');
    const changed = async (): Promise<Stored> => {
      const record = (await records.create({ externalId: 'one' }).expect(201)).body as Stored;
      return (await records.patch(record, { [records.field]: 'Changed' }).expect(200)).body as Stored;
    };
    const first = await changed();
    const byExternalId = '/by-external-id/one';
    const targets: Target[] = [
      { send: () => records.read(`/${first._id}`) },
      { send: () => records.read(byExternalId) },
      // Without a change, so that the revision stays.
      { send: () => records.patch(first, {}), isWrite: true },
      { send: () => records.upsert('one', {}), isWrite: true },
      { send: () => records.upsert('none', records.body), isWrite: true, missing: 201 },
      { send: () => records.upsert('missing', records.body).query({ updateOnly: true }), isWrite: true, missing: 404 },
      { send: () => records.read('/by-external-id/missing'), missing: 404 },
      {
        send: () => organization.call('delete', `${records.path}/by-external-id/missing`),
        isWrite: true,
        missing: 404,
      },
    ];
    for (const target of targets) await expectOutcome(target, each);
    // The deletion of a team takes a second.
    for (const path of kind === 'team' ? [byExternalId] : [`/${first._id}${owner(first)}`, byExternalId]) {
      await expectOutcome({ send: () => organization.call('delete', records.path + path), isWrite: true }, each);
      const read = await records.read(byExternalId);
      if (read.status === 404) await changed();
      else expect(read.headers['etag']).toBe('"2"');
    }
  });
});

it.each(someCases)('the statistics of a game and a season are conditional, too: $header: $value', async (each) => {
  const game = await createGame(server);
  const { organization } = game;
  const path = `/schedules/${game.schedule._id}/player-statistics`;
  const rows = { rows: [] };
  for (
    let revision = Number((await organization.call('get', path)).headers['etag']?.slice(1, -1));
    revision < 2;
    revision++
  )
    await organization.call('put', path).send(rows).expect(200);
  await expectOutcome({ send: () => organization.call('get', path) }, each);
  await expectOutcome({ send: () => organization.call('put', path).send(rows), isWrite: true }, each);

  const season = (await organization.call('post', '/seasons').send(seasonBody).expect(201)).body as Stored;
  const update = (name: string) => organization.call('patch', `/seasons/${season._id}`).send({ name });
  await update('Changed').expect(200);
  await expectOutcome({ send: () => update('Changed'), isWrite: true }, each);

  // Their version is a hash.
  for (const computed of ['standings', 'player-statistics?category=qb']) {
    const send = () => organization.call('get', `/seasons/${season._id}/${computed}`);
    const etag = String((await send().expect(200)).headers['etag']);
    await expectOutcome({ send }, { ...each, value: each.value.replaceAll('"2"', etag) });
  }
});

it.each(kindNames)('of several upserts with If-None-Match: * at once, one creates the %s', async (kind) => {
  const records = await synchronizedRecords(kind, await createOrganization(server));
  const create = (index: number) => records.upsert('new', { ...records.body, [records.field]: `Writer ${index}` });
  const responses = await Promise.all([1, 2, 3, 4].map((index) => create(index).set('If-None-Match', '*')));
  expect(responses.map(({ status }) => status).sort()).toEqual([201, 412, 412, 412]);
  const created = responses.find(({ status }) => status === 201)?.body as Stored;
  expect((await records.read('/by-external-id/new').expect(200)).body).toEqual({ data: created });
});

it('a write must satisfy both headers, and changes nothing if it does not', async () => {
  const records = await synchronizedRecords('team', await createOrganization(server));
  const record = (await records.create({ externalId: 'both' }).expect(201)).body as Stored;
  const change = (ifMatch: string, ifNoneMatch: string) =>
    records.patch(record, { [records.field]: 'Changed' }).set({ 'If-Match': ifMatch, 'If-None-Match': ifNoneMatch });
  for (const tag of ['"1"', '"2"', '*']) expectError(await change(tag, tag), 41201);
  expect((await records.read(`/${record._id}`).expect(200)).body).toEqual({ data: record });
  await change('"1"', '"2"').expect(200);
});

it('an admin also replaces the statistics of a game only if they are as expected', async () => {
  const game = await createGame(server);
  const put = (header: string, value: string) => game.put([]).set(header, value);
  const stale: [string, string][] = [
    ['If-None-Match', '*'],
    ['If-Match', '"9"'],
  ];
  for (const [header, value] of stale) expectError(await put(header, value), 41201);
  await put('If-Match', '*').expect(200);
});

const seasonBody = { name: 'Own', startDate: '2027-03-01T00:00:00Z', endDate: '2027-07-01T00:00:00Z' };
