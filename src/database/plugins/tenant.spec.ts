import { Schema } from 'mongoose';
import { deletions, Notes, reads, updates } from '../../../test/support/notes.js';
import { newRecordId } from '../record.js';
import { tenant } from './tenant.js';

const set = { $set: { text: 'changed' } };

describe('the tenant plugin', () => {
  const notes = Notes.forTests(tenant);
  const model = () => notes.model;

  const operations = [
    ...[...reads, ...updates, ...deletions],
    [
      'aggregate',
      async (_model, $match: object, options?: object) => model().aggregate([{ $match }], options),
    ] as const,
  ] as typeof reads;

  it.each(operations)('rejects %s without the organization, and changes nothing', async (_name, run) => {
    const other = await notes.add();
    for (const filter of [
      {},
      { text: 'first' },
      { organizationId: { $ne: newRecordId() } },
      { $or: [{ _id: other._id }] },
    ])
      await expect(async () => run(model(), filter)).rejects.toThrow('A filter does not name the organization');
    expect(await notes.stored(other)).toEqual(other);
  });

  it.each(operations)('rejects %s with an undefined value, anywhere in the filter', async (_name, run) => {
    const { organizationId } = await notes.add();
    const options = { allTenants: true } as const;
    for (const text of [undefined, { $in: ['first', undefined] }, { $gt: undefined }])
      await expect(async () => run(model(), { organizationId, text }, options)).rejects.toThrow(
        'A filter has an undefined value',
      );
    const nested = { organizationId, $and: [{ $or: [{ text: undefined }] }] };
    await expect(async () => run(model(), nested, options)).rejects.toThrow('A filter has an undefined value');
  });

  it.each(operations)('lets %s with the organization, or several, pass', async (_name, run) => {
    const { organizationId } = await notes.add();
    await expect(run(model(), { organizationId })).resolves.toBeDefined();
    await expect(
      run(model(), { organizationId: { $in: [organizationId, null] }, text: 'none' }),
    ).resolves.not.toBeUndefined();
  });

  it.each(operations)('lets %s pass that says allTenants', async (_name, run) => {
    const { _id } = await notes.add();
    await expect(run(model(), { _id }, { allTenants: true })).resolves.toBeDefined();
  });

  it('rejects an estimated count, and an aggregation that does not begin with the organization', async () => {
    await expect(model().estimatedDocumentCount().exec()).rejects.toThrow('does not name the organization');
    const late = [{ $sort: { text: 1 } }, { $match: { organizationId: newRecordId() } }] as const;
    await expect(
      model()
        .aggregate([...late])
        .exec(),
    ).rejects.toThrow('does not name the organization');
  });

  it('rejects operations in a transaction, too', async () => {
    const { _id, organizationId } = await notes.add();
    await notes.connection.transaction(async (session) => {
      await expect(model().findOneAndUpdate({ _id }, set, { session })).rejects.toThrow(
        'does not name the organization',
      );
      await model().updateOne({ _id, organizationId }, set, { session });
    });
    expect(await model().findOne({ _id, organizationId }).lean()).toMatchObject({ text: 'changed' });
  });

  it('asks no organization of records that have none', async () => {
    const schema = new Schema({ text: String }, { autoCreate: false }).plugin(tenant);
    const open = notes.connection.model('Open', schema);
    expect(await open.find({ text: 'none' }).lean()).toEqual([]);
    await expect(open.find({ text: undefined } as object).lean()).rejects.toThrow('undefined value');
  });
});
