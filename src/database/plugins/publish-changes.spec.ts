import { mongo } from 'mongoose';
import { deletions, newNote, type NoteRecord, Notes, updates } from '../../../test/support/notes.js';
import { type ChangedRecord, recordChanged } from '../operation-events.js';
import { publishChanges } from './publish-changes.js';

const set = { $set: { text: 'changed' } };
const updatePipeline = true;
/** An update that the database rejects. */
const invalid = [{ $set: { text: { $divide: [1, 0] } } }];

describe('the publish-changes plugin', () => {
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
