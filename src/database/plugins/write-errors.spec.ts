import { mongo } from 'mongoose';
import { newNote, Notes } from '../../../test/support/notes.js';
import { type UniqueIndexViolation, writeErrors } from './write-errors.js';

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
