import { expectError, expectFieldError } from '../support/expectations.js';
import { createOrganization, type Stored } from '../support/organization.js';
import { RunningServer } from '../support/server.js';
import { kindNames, type SynchronizedRecords, synchronizedRecords } from '../support/synchronized.js';

const server = RunningServer.forTests();

const validIds = ['a', 'ERP.4711_x:y~z@club-7', 'x'.repeat(128)];
const invalidIds = ['', 'x'.repeat(129), 'a/b', 'a b', 'ä', 'a%', 'a\n', '$ne', 'a,b'];

describe.each(kindNames)('the external ID of a %s', (kind) => {
  let records: SynchronizedRecords;
  const body = async (response: PromiseLike<{ body: unknown }>) => (await response).body as Stored;
  const list = async (query: string) =>
    ((await records.read(query)).body as { data: Stored[]; total: number }).data.map(({ _id }) => _id);

  beforeAll(async () => {
    records = await synchronizedRecords(kind, await createOrganization(server));
  });

  it.each(validIds)('is stored and returned as sent: %s', async (externalId) => {
    const created = await body(records.create({ externalId }).expect(201));
    expect(created).toMatchObject({ externalId });
    expect((await records.read(`/by-external-id/${externalId}`).expect(200)).body).toEqual({ data: created });
    expect(await list(`?externalId=${encodeURIComponent(externalId)}`)).toEqual([created._id]);
  });

  it.each([...invalidIds, 7, {}, []])('is rejected in a body if it is %j', async (externalId) => {
    expectFieldError(await records.create({ externalId }), 'externalId');
    expectFieldError(await records.bulk('no array', { externalId }), 'externalId');
  });

  it.each(invalidIds.filter((id) => id !== ''))(
    'is rejected in a path and a filter if it is %j',
    async (externalId) => {
      const encoded = encodeURIComponent(externalId);
      expectFieldError(await records.upsert(externalId, records.body), 'externalId');
      expectFieldError(await records.read(`/by-external-id/${encoded}`), 'externalId');
      expectFieldError(await records.read(`?externalId=${encoded}`), 'externalId');
    },
  );

  it('is omitted if it is not set, and cleared by null in a PATCH', async () => {
    const plain = await body(records.create().expect(201));
    expect(plain).not.toHaveProperty('externalId');
    const named = await body(records.patch(plain, { externalId: 'cleared' }).expect(200));
    expect(named).toMatchObject({ externalId: 'cleared' });
    expect(await body(records.patch(plain, { externalId: null }).expect(200))).not.toHaveProperty('externalId');
    expectError(await records.read('/by-external-id/cleared'), records.notFound);
  });

  it('is rejected with 40905 if another record has it, in a POST and a PATCH', async () => {
    const first = await body(records.create({ externalId: 'taken' }).expect(201));
    const second = await body(records.create().expect(201));
    for (const response of [
      await records.create({ externalId: 'taken' }),
      await records.patch(second, { externalId: 'taken' }),
    ])
      expect(expectError(response, 40905).details?.[0]?.field).toBe('externalId');
    expect(await list('?externalId=taken')).toEqual([first._id]);
  });

  it('creates exactly one record if equal requests arrive at once', async () => {
    const responses = await Promise.all(Array.from({ length: 8 }, () => records.upsert('at-once', records.body)));
    expect(responses.map(({ status }) => status).sort()).toEqual([...Array<number>(7).fill(200), 201]);
    expect(new Set(responses.map(({ body: sent }) => (sent as Stored)._id)).size).toBe(1);
    expect(await list('?externalId=at-once')).toHaveLength(1);
  });

  it('applies different requests that arrive at once one after the other', async () => {
    const field = kind === 'team' ? 'ageGroup' : records.field;
    const bodies = Array.from({ length: 20 }, (_none, index) => ({ ...records.body, [field]: `Different ${index}` }));
    const responses = await Promise.all(bodies.map((body) => records.upsert('contended', body)));
    expect(responses.map(({ status }) => status).sort()).toEqual([...Array<number>(19).fill(200), 201]);
    expect(new Set(responses.map(({ body: sent }) => (sent as Stored)['revision'])).size).toBe(20);
  });

  it('belongs to its organization: another one can use it, and does not find it', async () => {
    const other = await synchronizedRecords(kind, await createOrganization(server));
    await records.create({ externalId: 'shared' }).expect(201);
    expectError(await other.read('/by-external-id/shared'), other.notFound);
    const theirs = await body(other.upsert('shared', other.body).expect(201));
    expect(theirs['organizationId']).toBe(other.organization.id);
  });

  describe('in an upsert', () => {
    it('creates the record with the defaults of a POST, then changes only the sent fields', async () => {
      const posted = await body(records.create({ externalId: 'posted' }).expect(201));
      const created = await body(records.upsert('upserted', records.body).expect(201));
      const own = { _id: created._id, externalId: 'upserted' };
      const times = { createdAt: created['createdAt'], updatedAt: created['updatedAt'] };
      expect(created).toEqual({ ...posted, ...own, ...times });
      const changed = await body(records.upsert('upserted', { [records.field]: 'Changed' }).expect(200));
      expect(changed).toEqual({ ...created, [records.field]: 'Changed', revision: 2, updatedAt: changed['updatedAt'] });
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
