import { createOrganization, type Stored } from '../support/organization.js';
import { RunningServer } from '../support/server.js';
import { kindNames, type SynchronizedRecords, synchronizedRecords } from '../support/synchronized.js';

const server = RunningServer.forTests();

describe.each(kindNames)('the revision of a %s', (kind) => {
  let records: SynchronizedRecords;
  let count = 0;
  const change = (record: Stored, value = `Change ${++count}`) => records.patch(record, { [records.field]: value });
  const create = async () => (await records.create({ externalId: `id-${++count}` }).expect(201)).body as Stored;
  const urls = ({ _id, externalId }: Stored) => [`/${_id}`, `/by-external-id/${String(externalId)}`];

  beforeAll(async () => {
    records = await synchronizedRecords(kind, await createOrganization(server));
  });

  it('is 1 on creation and 1 more with every change, in the body and as ETag', async () => {
    const response = await records.create({ externalId: 'counted' }).expect(201);
    const record = response.body as Stored;
    expect([record['revision'], response.headers['etag']]).toEqual([1, '"1"']);
    for (const revision of [2, 3]) {
      const changed = await change(record).expect(200);
      expect([(changed.body as Stored)['revision'], changed.headers['etag']]).toEqual([revision, `"${revision}"`]);
    }
    for (const url of urls(record)) expect((await records.read(url)).headers['etag']).toBe('"3"');
    const upserted = await records.upsert('counted', {}).expect(200);
    expect(upserted.headers['etag']).toBe('"3"');
  });

  it('stays, like updatedAt, if a PATCH or an upsert changes nothing', async () => {
    const record = await create();
    const changed = (await change(record, 'Same').expect(200)).body as Stored;
    expect((await change(record, 'Same').expect(200)).body).toEqual(changed);
    const again = { [records.field]: 'Same', externalId: record['externalId'] };
    expect((await records.upsert(String(record['externalId']), again).expect(200)).body).toEqual(changed);
  });

  it('has no ETag in a list', async () => {
    expect((await records.read('').expect(200)).headers).not.toHaveProperty('etag');
  });

  // Which requests the headers let through: preconditions.spec.ts.
  it('as If-None-Match returns 304 without a body, also to the fetch of Node, which adds Cache-Control', async () => {
    const record = await create();
    for (const url of urls(record)) {
      const read = records.read(url).set({ 'If-None-Match': '"1"', 'Cache-Control': 'no-cache' });
      const response = await read.expect(304);
      expect([response.text, response.headers['etag']]).toEqual(['', '"1"']);
      expect(response.headers).toHaveProperty('x-request-id');
    }
  });

  it('as If-Match lets exactly one of several writers with the same revision succeed', async () => {
    const record = await create();
    const writes = Array.from({ length: 6 }, () => change(record).set('If-Match', '"1"'));
    const statuses = (await Promise.all(writes)).map(({ status }) => status).sort();
    expect(statuses).toEqual([200, ...Array<number>(5).fill(412)]);
  });
});
