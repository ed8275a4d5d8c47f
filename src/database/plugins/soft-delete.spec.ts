import { mongo } from 'mongoose';
import { Notes, reads, updates } from '../../../test/support/notes.js';
import { softDelete } from './soft-delete.js';

describe('the soft-delete plugin', () => {
  const notes = Notes.forTests(softDelete);
  const model = () => notes.model;
  const deletedAt = new Date('2027-05-01T10:00:00.000Z');

  it.each(reads)(
    'hides deleted records from %s, unless it names deletedAt or says withDeleted',
    async (_name, read) => {
      const { organizationId } = await notes.add({ deletedAt });
      expect(await read(model(), { organizationId })).toBe(0);
      expect(await read(model(), { organizationId, deletedAt: { $gte: deletedAt } })).toBe(1);
      expect(await read(model(), { organizationId }, { withDeleted: true })).toBe(1);
      await notes.add({ organizationId });
      expect(await read(model(), { organizationId })).toBe(1);
    },
  );

  it.each(updates)(
    'keeps deleted records from %s, unless it names deletedAt or says withDeleted',
    async (_name, run) => {
      const { organizationId, ...note } = await notes.add({ deletedAt });
      const text = async () => (await notes.stored({ organizationId, ...note }))?.text;
      await run(model(), { organizationId });
      expect(await text()).toBe('first');
      await run(model(), { organizationId, deletedAt });
      expect(await text()).toBe('changed');
      const other = await notes.add({ organizationId, deletedAt });
      await run(model(), { _id: other._id }, { withDeleted: true });
      expect((await notes.stored(other))?.text).toBe('changed');
    },
  );

  it('hides them in a transaction, also when it is repeated', async () => {
    const { organizationId } = await notes.add({ deletedAt });
    let attempts = 0;
    await notes.connection.transaction(async (session) => {
      expect(await model().find({ organizationId }, {}, { session }).lean()).toEqual([]);
      attempts++;
      if (attempts === 1)
        throw new mongo.MongoServerError({ message: 'again', errorLabels: ['TransientTransactionError'] });
    });
    expect(attempts).toBe(2);
  });

  it('leaves aggregations, estimates, inserts and deletions as they are', async () => {
    const { organizationId } = await notes.add({ deletedAt });
    expect(await model().aggregate([{ $match: { organizationId } }])).toHaveLength(1);
    expect(await model().estimatedDocumentCount()).toBeGreaterThan(0);
    await model().insertMany([{ ...(await notes.add()), _id: organizationId, organizationId, deletedAt }], {
      lean: true,
    });
    expect(await model().deleteMany({ organizationId })).toMatchObject({ deletedCount: 2 });
  });
});
