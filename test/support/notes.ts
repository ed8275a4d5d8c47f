import { Prop, Schema as DefineSchema, SchemaFactory } from '@nestjs/mongoose';
import { type Connection, createConnection, type Model, type Schema } from 'mongoose';
import { connectionOptions } from '../../src/database/connection-options.js';
import { newRecordId, type RecordId, storage, StoredRecord } from '../../src/database/record.js';
import { startForTests } from './for-tests.js';
import { testDatabaseUri } from './test-database.js';

const set = { $set: { text: 'changed' } };
const pipeline = [set];
const updatePipeline = true;

/** An operation with a filter and options, by its name. */
type Operation = [name: string, run: (model: Model<NoteRecord>, filter: object, options?: object) => Promise<unknown>];

@DefineSchema({ collection: 'notes', ...storage })
export class NoteRecord extends StoredRecord {
  @Prop({ type: 'ObjectId', immutable: true }) organizationId!: RecordId;
  @Prop({ type: String }) text!: string;
  @Prop({ type: Date }) deletedAt!: Date | null;
  @Prop({ type: 'Mixed' }) mark?: object;
}

export function newNote(values: Partial<NoteRecord> = {}): NoteRecord {
  const now = new Date();
  const ids = { _id: newRecordId(), organizationId: newRecordId() };
  return { ...ids, text: 'first', deletedAt: null, createdAt: now, updatedAt: now, ...values };
}

/** A model of notes with a plugin, on a new database. */
export class Notes {
  private constructor(
    readonly connection: Connection,
    readonly model: Model<NoteRecord>,
  ) {}

  /** Provides the model for the tests of a file or `describe`. */
  static forTests(plugin: (schema: Schema) => void): Notes {
    return startForTests(Notes, () => Notes.start(plugin), { stop: (notes) => notes.stop() });
  }

  private static async start(plugin: (schema: Schema) => void): Promise<Notes> {
    const uri = new URL(testDatabaseUri());
    uri.searchParams.set('monitorCommands', 'true');
    const connection = await createConnection(uri.href, connectionOptions).asPromise();
    const schema = SchemaFactory.createForClass(NoteRecord).plugin(plugin as never);
    return new Notes(connection, connection.model<NoteRecord>('Note', schema));
  }

  /** Stores a note without the plugin. */
  async add(values: Partial<NoteRecord> = {}): Promise<NoteRecord> {
    const note = newNote(values);
    await this.connection.collection('notes').insertOne(note);
    return note;
  }

  /** Returns a note as it is stored. */
  stored({ _id }: NoteRecord) {
    return this.connection.collection<NoteRecord>('notes').findOne({ _id });
  }

  private async stop(): Promise<void> {
    await this.connection.dropDatabase();
    await this.connection.close();
  }
}

/** The reads that a filter limits, each with what says how many records it found. */
export const reads: Operation[] = [
  ['find', async (model, filter, options) => (await model.find(filter, {}, options).lean()).length],
  ['findOne', async (model, filter, options) => Number((await model.findOne(filter, {}, options).lean()) !== null)],
  ['countDocuments', (model, filter, options) => model.countDocuments(filter, options).exec()],
  ['distinct', async (model, filter, options) => (await model.distinct('text', filter, options)).length],
];

/** The updates that a filter limits, which set a text. */
export const updates: Operation[] = [
  ['updateOne', (model, filter, options = {}) => model.updateOne(filter, set).setOptions(options).exec()],
  ['updateMany', async (model, filter, options) => model.updateMany(filter, pipeline, { ...options, updatePipeline })],
  ['findOneAndUpdate', async (model, filter, options) => model.findOneAndUpdate(filter, set, options).lean()],
  [
    'findOneAndUpdate with a pipeline',
    async (model, filter, options) => model.findOneAndUpdate(filter, pipeline, { ...options, updatePipeline }).lean(),
  ],
  ['bulkWrite', (model, filter, options) => model.bulkWrite([{ updateOne: { filter, update: set } }], options)],
  [
    'a pipeline of bulkWrite',
    (model, filter, options) => model.bulkWrite([{ updateMany: { filter, update: pipeline } }], options),
  ],
];

export const deletions: Operation[] = [
  ['deleteOne', async (model, filter, options) => model.deleteOne(filter, options)],
  ['deleteMany', async (model, filter, options) => model.deleteMany(filter, options)],
  ['a deletion of bulkWrite', (model, filter, options) => model.bulkWrite([{ deleteMany: { filter } }], options)],
];
