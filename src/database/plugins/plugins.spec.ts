import { mongo, Schema } from 'mongoose';
import { deletions, newNote, type NoteRecord, Notes, reads, updates } from '../../../test/support/notes.js';
import { type ChangedRecord, recordChanged } from '../operation-events.js';
import { newRecordId } from '../record.js';
import { publishChanges } from './publish-changes.js';
import { softDelete } from './soft-delete.js';
import { tenant } from './tenant.js';
import { type UniqueIndexViolation, writeErrors } from './write-errors.js';

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

describe('the publish-changes plugin', () => {
  const updatePipeline = true;
  /** An update that the database rejects. */
  const invalid = [{ $set: { text: { $divide: [1, 0] } } }];
  const notes = Notes.forTests(publishChanges);
  const model = () => notes.model;

  const published: ChangedRecord[] = [];
  const listen = (change: unknown): void => {
    published.push(change as ChangedRecord);
  };
  beforeAll(() => {
    recordChanged.subscribe(listen);
  });
  beforeEach(() => void (published.length = 0));
  afterAll(() => recordChanged.unsubscribe(listen));

  const changeOf = ({ _id }: NoteRecord): ChangedRecord => ({ collection: 'notes', id: String(_id) });
  const changeOfAny: ChangedRecord = { collection: 'notes', id: undefined };

  const writes = [...updates, ...deletions];

  it.each(writes)(
    'publishes the record of %s when it has ended, and every record without an ID',
    async (_name, run) => {
      const note = await notes.add();
      const running = run(model(), { _id: note._id });
      expect(published).toEqual([]);
      await running;
      expect(published).toEqual([changeOf(note)]);
      await run(model(), { organizationId: note.organizationId });
      expect(published.at(-1)).toEqual(changeOfAny);
    },
  );

  it.each(writes)('publishes the record of %s once when the transaction has ended', async (_name, run) => {
    const note = await notes.add();
    let attempts = 0;
    await notes.connection.transaction(async (session) => {
      await run(model(), { _id: note._id }, { session });
      await run(model(), { _id: note._id }, { session });
      attempts++;
      if (attempts === 1)
        throw new mongo.MongoServerError({ message: 'again', errorLabels: ['TransientTransactionError'] });
      expect(published).toEqual([]);
    });
    expect({ attempts, published }).toEqual({ attempts: 2, published: [changeOf(note)] });
  });

  it('publishes also what may have been changed by a write that failed', async () => {
    const note = await notes.add();
    const { _id } = note;
    const failing = [
      () => model().updateMany({ _id }, invalid, { updatePipeline }).exec(),
      () => model().findOneAndUpdate({ _id }, invalid, { updatePipeline }).lean().exec(),
      () => model().bulkWrite([{ updateOne: { filter: { _id }, update: invalid } }]),
    ];
    for (const run of failing) await expect(run()).rejects.toThrow(mongo.MongoServerError);
    expect(published).toEqual(failing.map(() => changeOf(note)));
  });

  it('publishes the update of each write of a bulk write, but no insert', async () => {
    const [one, other] = [await notes.add(), await notes.add()];
    await model().bulkWrite([
      { insertOne: { document: newNote() } },
      { updateOne: { filter: { _id: one._id }, update: set } },
      { deleteOne: { filter: { _id: other._id } } },
    ]);
    await model().insertMany([newNote()], { lean: true });
    expect(published).toEqual([changeOf(one), changeOf(other)]);
  });

  it('publishes a record that a transaction reads, but no other read', async () => {
    const note = await notes.add();
    await model().findOne({ _id: note._id }).lean();
    await notes.connection.transaction(async (session) => {
      await model().find({ _id: note._id }, {}, { session }).lean();
      await model().findOne({ _id: note._id }, {}, { session }).lean();
    });
    expect(published).toEqual([changeOf(note)]);
  });
});

describe('the write-errors plugin', () => {
  const notes = Notes.forTests(writeErrors);
  beforeAll(() =>
    notes.connection.collection('notes').createIndex({ text: 1 }, { name: 'one_per_text', unique: true }, {}),
  );

  const taken = { name: 'UniqueIndexViolation', indexName: 'one_per_text' } satisfies Partial<UniqueIndexViolation>;

  it('names the unique index that rejects a record or an update', async () => {
    await notes.add({ text: 'a' });
    const { _id } = await notes.add({ text: 'b' });
    await expect(notes.model.insertMany([newNote({ text: 'a' })], { lean: true })).rejects.toMatchObject(taken);
    const update = { $set: { text: 'a' } };
    await expect(notes.model.findOneAndUpdate({ _id }, update).lean()).rejects.toMatchObject(taken);
    const inTransaction = notes.connection.transaction((session) =>
      notes.model.insertMany([newNote({ text: 'a' })], { lean: true, session }),
    );
    await expect(inTransaction).rejects.toMatchObject(taken);
  });

  it('throws a lost connection as it is, although the driver wraps it', async () => {
    const lost = new mongo.MongoNetworkError('lost');
    jest
      .spyOn(notes.model.collection, 'insertMany')
      .mockRejectedValueOnce(new mongo.MongoBulkWriteError(lost, {} as never));
    await expect(notes.model.insertMany([newNote({ text: 'c' })], { lean: true })).rejects.toBe(lost);
  });
});
