import { expectError, expectFieldError } from '../support/expectations.js';
import { createOrganization, type Stored } from '../support/organization.js';
import { RunningServer } from '../support/server.js';
import { kindNames, type SynchronizedRecords, synchronizedRecords } from '../support/synchronized.js';

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

const server = RunningServer.forTests();

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

  it('leaves every row unchanged if the request is repeated', async () => {
    const rows = Array.from({ length: 100 }, (_none, index) => row(`row-${index}`));
    expect((await send(rows)).summary).toEqual({ created: 100, updated: 0, unchanged: 0, deleted: 0, failed: 0 });
    expect((await send(rows)).summary).toEqual({ created: 0, updated: 0, unchanged: 100, deleted: 0, failed: 0 });
    expect(await total()).toBe(100);
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
    expect(dry.data[0]).not.toHaveProperty('_id');
    expect(dry.dryRun).toBe(true);
    expect(await total()).toBe(1);
    expect((await records.read('/by-external-id/changed')).headers['etag']).toBe('"1"');
    expect(resultsOf(await send(rows))).toEqual(resultsOf(dry));
  });

  it('refuses the second row with an externalId, and applies the first', async () => {
    const answer = await send([row('twice'), row('twice', { [records.field]: 'Second' })]);
    expect(resultsOf(answer)).toEqual(['created', 'failed']);
    expect(answer.data[1]?.error).toMatchObject({ error: 40001, details: [{ field: 'externalId' }] });
    expect(await total()).toBe(1);
  });

  it('refuses a row without the fields of a create only if it creates', async () => {
    await records.create({ externalId: 'known' }).expect(201);
    const answer = await send([{ externalId: 'known' }, { externalId: 'unknown' }]);
    expect(resultsOf(answer)).toEqual(['unchanged', 'failed']);
    expect(answer.data[1]?.error?.error).toBe(kind === 'schedule' ? 40002 : 40001);
  });

  it('creates each record once if equal requests arrive at once', async () => {
    const rows = Array.from({ length: 20 }, (_none, index) => row(`row-${index}`));
    const answers = await Promise.all(Array.from({ length: 4 }, () => send(rows)));
    expect(answers.map(({ summary }) => summary['failed'])).toEqual([0, 0, 0, 0]);
    expect(answers.reduce((sum, { summary }) => sum + (summary['created'] ?? 0), 0)).toBe(20);
    expect(await total()).toBe(20);
    const ids = answers.map(({ data }) => data.map(({ _id }) => _id));
    expect(new Set(ids.map(String)).size).toBe(1);
  });

  it('applies each row exactly once if requests with other values arrive at once', async () => {
    const externalIds = Array.from({ length: 10 }, (_none, index) => `row-${index}`);
    await send(externalIds.map((id) => row(id)));
    const answers = await Promise.all(
      ['A', 'B', 'C', 'D', 'E', 'F', 'G', 'H'].map((value) =>
        send(externalIds.map((id) => row(id, { [records.field]: value }))),
      ),
    );
    expect(answers.map(({ summary }) => summary['failed'])).toEqual(Array(8).fill(0));
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
