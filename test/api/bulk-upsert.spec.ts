import { expectError, expectFieldError } from '../support/expectations.js';
import { createOrganization, type Stored, TestOrganization } from '../support/organization.js';
import { RunningServer } from '../support/server.js';
import { kindNames, type SynchronizedRecords, synchronizedRecords } from '../support/synchronized.js';
import { defaultStart, minutesAfterStart, patchSchedule } from '../support/schedules.js';

const server = RunningServer.forTests();

interface RowResult {
  index: number;
  externalId?: string;
  result: string;
  _id?: string;
  revision?: number;
  error?: { error: number; message: string; details?: { field: string }[] };
}

interface Bulk {
  data: RowResult[];
  summary: Record<string, number>;
  dryRun: boolean;
}

let records: SynchronizedRecords;
const row = (externalId: unknown, fields: object = {}) => ({ ...records.body, externalId, ...fields });
const send = async (rows: unknown[], options = {}) => (await records.bulk(rows, options).expect(200)).body as Bulk;
const resultsOf = ({ data }: Bulk) => data.map(({ result }) => result);
const total = async () => ((await records.read('?limit=1')).body as { total: number }).total;

describe.each(kindNames)('POST …/bulk of %ss', (kind) => {
  beforeEach(async () => {
    records = await synchronizedRecords(kind, await createOrganization(server));
  });

  it('creates, updates and keeps records, with the results in the order of the rows', async () => {
    const existing = (await records.create({ externalId: 'changed' }).expect(201)).body as Stored;
    const same = (await records.create({ externalId: 'same' }).expect(201)).body as Stored;
    const rows = [row('new'), row('changed', { [records.field]: 'Changed' }), row('same'), row('bad', { unknown: 1 })];
    const answer = await send(rows);
    const created = (await records.read('/by-external-id/new').expect(200)).body as { data: Stored };
    expect(answer).toEqual({
      data: [
        { index: 0, externalId: 'new', result: 'created', _id: created.data._id, revision: 1 },
        { index: 1, externalId: 'changed', result: 'updated', _id: existing._id, revision: 2 },
        { index: 2, externalId: 'same', result: 'unchanged', _id: same._id, revision: 1 },
        { index: 3, externalId: 'bad', result: 'failed', error: expect.objectContaining({ error: 40001 }) as unknown },
      ],
      summary: { created: 1, updated: 1, unchanged: 1, deleted: 0, failed: 1 },
      dryRun: false,
    });
    const read = async (id: string) => ((await records.read(`/${id}`)).body as { data: Stored }).data;
    expect(await read(existing._id)).toMatchObject({ [records.field]: 'Changed', revision: 2 });
    expect(await read(same._id)).toEqual(same);
  });

  it('writes nothing in a dry run, and answers the same', async () => {
    await records.create({ externalId: 'changed' }).expect(201);
    const rows = [
      row('new'),
      row('changed', { [records.field]: 'Changed' }),
      row('bad', { [records.field]: 7 }),
      row('new'),
    ];
    const dry = await send(rows, { dryRun: true });
    expect(resultsOf(dry)).toEqual(['created', 'updated', 'failed', 'failed']);
    // The second row with an externalId.
    expect(dry.data[3]?.error).toMatchObject({ error: 40001, details: [{ field: 'externalId' }] });
    expect(dry.data[0]).not.toHaveProperty('_id');
    expect(dry.dryRun).toBe(true);
    expect(await total()).toBe(1);
    expect((await records.read('/by-external-id/changed')).headers['etag']).toBe('"1"');
    expect(resultsOf(await send(rows))).toEqual(resultsOf(dry));
  });

  it('creates each record once if equal requests arrive at once', async () => {
    const rows = Array.from({ length: 10 }, (_none, index) => row(`row-${index}`));
    const answers = await Promise.all([send(rows), send(rows), send(rows)]);
    expect(answers.map(({ summary }) => summary['failed'])).toEqual([0, 0, 0]);
    expect(answers.reduce((sum, { summary }) => sum + (summary['created'] ?? 0), 0)).toBe(10);
    expect(await total()).toBe(10);
    const ids = answers.map(({ data }) => data.map(({ _id }) => _id));
    expect(new Set(ids.map(String)).size).toBe(1);
  });

  it('applies each row exactly once if requests with other values arrive at once', async () => {
    const externalIds = Array.from({ length: 10 }, (_none, index) => `row-${index}`);
    await send(externalIds.map((id) => row(id)));
    const rowsOf = (value: string) => externalIds.map((id) => row(id, { [records.field]: value }));
    const answers = await Promise.all(['A', 'B', 'C', 'D'].map((value) => send(rowsOf(value))));
    expect(answers.map(({ summary }) => summary['failed'])).toEqual([0, 0, 0, 0]);
    const updates = answers.flatMap(({ data }) => data).filter(({ result }) => result === 'updated').length;
    const { data } = (await records.read('?limit=100')).body as { data: Stored[] };
    const revisions = data.map(({ revision }) => Number(revision) - 1);
    expect(revisions.reduce((sum, changes) => sum + changes, 0)).toBe(updates);
  });
});

// One pipe reads the bodies of all bulk routes.
describe('a bulk request', () => {
  beforeAll(async () => {
    records = await synchronizedRecords('team', await createOrganization(server));
  });

  it.each([null, 'row', []])('refuses a row that is %j', async (bad) => {
    const answer = await send([bad, row('good')], { dryRun: true });
    expect(resultsOf(answer)).toEqual(['failed', 'created']);
    expect(answer.data[0]?.error).toMatchObject({ error: 40001, details: [{ field: 'rows[0]' }] });
  });

  it.each(['__proto__', 'constructor', 'toString'])('refuses only the row with the field %s', async (name) => {
    const bad = JSON.parse(`{"externalId":"bad","${name}":"x","location":{"constructor":"x"}}`) as unknown;
    const answer = await send([row('before'), bad, row('after')], { dryRun: true });
    expect(resultsOf(answer)).toEqual(['created', 'failed', 'created']);
    expect(answer.data[1]?.error?.details?.map(({ field }) => field)).toContain(name);
  });

  it.each([undefined, 'a/b'])('refuses a row with the externalId %j', async (externalId) => {
    const answer = await send([row(externalId)]);
    expect(answer.data[0]).toMatchObject({ index: 0, result: 'failed', error: { error: 40001 } });
    expect(answer.data[0]?.error?.details?.map(({ field }) => field)).toEqual(['externalId']);
    expect(answer.data[0]).not.toHaveProperty('externalId');
  });

  it.each([
    ['an empty list', []],
    ['101 rows', Array<object>(101).fill({})],
    ['an object', {}],
  ])('rejects %s with 40001', async (_what, rows) => {
    expectFieldError(await records.bulk(rows), 'rows');
  });

  it('rejects a dryRun that is no boolean, and unknown fields', async () => {
    expectFieldError(await records.bulk([row('a')], { dryRun: 'true' }), 'dryRun');
    expectFieldError(await records.bulk([row('a')], { upsert: true }), 'upsert');
    expectError(await records.read('/by-external-id/a'), records.notFound);
  });
});

describe.each(kindNames)('the external ID of a %s', (kind) => {
  let records: SynchronizedRecords;
  const body = async (response: PromiseLike<{ body: unknown }>) => (await response).body as Stored;
  const list = async (query: string) =>
    ((await records.read(query)).body as { data: Stored[]; total: number }).data.map(({ _id }) => _id);

  beforeAll(async () => {
    records = await synchronizedRecords(kind, await createOrganization(server));
  });

  it('is rejected with 40905 if another record has it, in a POST and a PATCH', async () => {
    const first = await body(records.create({ externalId: 'taken' }).expect(201));
    const second = await body(records.create().expect(201));
    for (const response of [
      await records.create({ externalId: 'taken' }),
      await records.patch(second, { externalId: 'taken' }),
    ])
      expect(expectError(response, 40905)).toMatchObject({
        message: `The record ${first._id} has this externalId`,
        details: [{ field: 'externalId' }],
      });
    expect(await list('?externalId=taken')).toEqual([first._id]);
  });

  it('applies different requests that arrive at once one after the other', async () => {
    const field = kind === 'team' ? 'ageGroup' : records.field;
    const bodies = Array.from({ length: 8 }, (_none, index) => ({ ...records.body, [field]: `Different ${index}` }));
    const responses = await Promise.all(bodies.map((body) => records.upsert('contended', body)));
    expect(responses.map(({ status }) => status).sort()).toEqual([...Array<number>(7).fill(200), 201]);
    expect(new Set(responses.map(({ body: sent }) => (sent as Stored)['revision'])).size).toBe(8);
    expect(await list('?externalId=contended')).toHaveLength(1);
  });

  describe('in an upsert', () => {
    it('creates the record with the defaults of a POST, then changes only the sent fields', async () => {
      const posted = await body(records.create({ externalId: 'posted' }).expect(201));
      const created = await body(records.upsert('upserted', records.body).expect(201));
      const own = { _id: created._id, externalId: 'upserted' };
      const times = { createdAt: created['createdAt'], updatedAt: created['updatedAt'] };
      expect(created).toEqual({ ...posted, ...own, ...times });
      const changed = await body(records.upsert('upserted', { [records.field]: 'Changed' }).expect(200));
      const { updatedAt, eventTitle } = changed;
      const computed = { revision: 2, updatedAt, ...(kind === 'schedule' && { eventTitle }) };
      expect(changed).toEqual({ ...created, [records.field]: 'Changed', ...computed });
      expect(await body(records.upsert('upserted', {}).expect(200))).toEqual(changed);
    });

    it('requires the fields of a create only if it creates', async () => {
      const required = Object.keys(records.body).filter((field) => field !== 'teamTwoName');
      const error = expectError(
        await records.upsert('missing', { teamTwoName: undefined }),
        kind === 'schedule' ? 40002 : 40001,
      );
      if (kind !== 'schedule') expect(error.details?.map(({ field }) => field).sort()).toEqual(required.sort());
      expectError(await records.read('/by-external-id/missing'), records.notFound);
    });

    it('accepts an equal externalId in the body and rejects another one', async () => {
      await records.upsert('equal', { ...records.body, externalId: 'equal' }).expect(201);
      for (const externalId of ['other', null])
        expectFieldError(await records.upsert('equal', { ...records.body, externalId }), 'externalId');
    });

    it('creates nothing with updateOnly=true', async () => {
      expectError(await records.upsert('absent', records.body, '?updateOnly=true'), records.notFound);
      await records.upsert('absent', records.body, '?updateOnly=false').expect(201);
      await records.upsert('absent', records.body, '?updateOnly=true').expect(200);
      expectFieldError(await records.upsert('absent', records.body, '?updateOnly=1'), 'updateOnly');
    });
  });
});

describe('an upsert of schedules', () => {
  type Body = Record<string, unknown>;

  const organization = TestOrganization.forTests(server);
  let team: Stored;
  let opponent: Stored;
  let count = 0;

  beforeAll(async () => {
    team = await organization.team({ name: 'Hawks' });
    opponent = await organization.team({ name: 'Foxes' });
  });

  const newId = () => `game-${++count}`;
  const minimal = () => ({ teamId: team._id, startDate: defaultStart, teamTwoName: 'Guests' });
  const upsert = (externalId: string, body: Body) =>
    organization.call('patch', `/schedules/by-external-id/${externalId}`).send(body);
  const read = async (externalId: string) =>
    ((await organization.call('get', `/schedules/by-external-id/${externalId}`).expect(200)).body as { data: Stored })
      .data;
  const create = async (fields: Body = {}) => {
    const externalId = newId();
    await upsert(externalId, { ...minimal(), ...fields }).expect(201);
    return read(externalId);
  };
  const idOf = (schedule: Stored) => String(schedule['externalId']);

  // A bulk row takes the same path: convergence.spec.ts.
  describe('by a single request', () => {
    const send = async (externalId: string, body: Body) =>
      ((await upsert(externalId, body)).body as { error?: number }).error;

    const changes: [string, () => Body][] = [
      ['"endDate": null', () => ({ startDate: minutesAfterStart(100), duration: 60, endDate: null })],
      ['an opponent and "eventTitle": null', () => ({ teamTwoId: opponent._id.toUpperCase(), eventTitle: null })],
      ['"teamTwoId": null', () => ({ teamTwoId: null })],
    ];

    it.each(changes)('changes what a PATCH changes, with %s', async (_what, fields) => {
      const other = { endDate: minutesAfterStart(37), eventTitle: 'Final', locationName: 'Park', practiceNote: 'Run.' };
      const [one, patched] = [await create(other), await create(other)];
      const expected = (await patchSchedule(organization, patched._id, { teamId: team._id, ...fields() }).expect(200))
        .body as Stored;
      // The owner is not required.
      expect(await send(idOf(one), fields())).toBeUndefined();
      const changed = await read(idOf(one));
      const { _id, externalId, createdAt } = one;
      expect(changed).toEqual({ ...expected, _id, externalId, createdAt, updatedAt: changed['updatedAt'] });
    });

    it('keeps revision and updatedAt if it changes nothing', async () => {
      const one = await create({
        ...{ teamTwoId: opponent._id, teamTwoName: undefined },
        ...{ enableYardage: true, fieldSizeInYard: 50 },
      });
      const same = { ...minimal(), teamId: team._id.toUpperCase(), teamTwoName: undefined, teamTwoId: opponent._id };
      const kept = [{ endDate: null, eventTitle: one['eventTitle'] }, { placeId: null }, { enableYardage: true }];
      for (const body of [{}, same, ...kept]) {
        expect(await send(idOf(one), body)).toBeUndefined();
        expect(await read(idOf(one))).toEqual(one);
      }
    });
  });
});
