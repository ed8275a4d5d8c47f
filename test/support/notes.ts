import { type Connection, createConnection, type Model, type Schema } from 'mongoose';
import { connectionOptions } from '../../src/database/connection-options.js';
import { newRecordId, organizationFields, type OrganizationRecord, recordSchema } from '../../src/database/record.js';
import { startForTests } from './for-tests.js';
import { testDatabaseUri } from './test-database.js';

export interface NoteRecord extends OrganizationRecord {
  text: string;
  deletedAt: Date | null;
  mark?: object;
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
    const fields = {
      ...organizationFields,
      text: { type: String },
      deletedAt: { type: Date },
      mark: { type: 'Mixed' },
    };
    const schema = recordSchema<NoteRecord>('notes', fields as never);
    return new Notes(connection, connection.model<NoteRecord>('Note', schema.plugin(plugin)));
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
