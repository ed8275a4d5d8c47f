import { type Connection, mongo } from 'mongoose';
import { StartError } from '../../config/start-error.js';

/** Holds one document while an import goes on, and for good where it was broken off. */
export const unfinishedImportCollection = 'unfinishedImport';

const beatMilliseconds = 2_000;
/** An import that gave no sign of life for so long is over. */
const silentMilliseconds = 10_000;
const duplicateKeyCode = 11000;

interface Mark {
  _id: 'import';
  beatAt: Date;
  /** True from before its first document on: what is in the database then is its own. */
  writing?: boolean;
}

/** The mark that an import leaves on a database before its first document, and takes away behind its last. */
export class UnfinishedImport {
  private constructor(
    private readonly connection: Connection,
    private readonly beating: NodeJS.Timeout,
    /** True where an import before this one was broken off, and left what it had written. */
    readonly hasRemains: boolean,
  ) {}

  /** True while the mark is there. */
  static async isOn(connection: Connection): Promise<boolean> {
    return (await marks(connection).findOne({ _id: 'import' })) !== null;
  }

  /**
   * Leaves the mark, or takes over that of an import that was broken off.
   * @throws StartError while another import goes on
   */
  static async begin(connection: Connection): Promise<UnfinishedImport> {
    // By the database's clock alone: two machines need not agree on the time.
    const silent = { $expr: { $lt: ['$beatAt', { $subtract: ['$$NOW', silentMilliseconds] }] } };
    const broken = await marks(connection).findOneAndUpdate({ _id: 'import', ...silent }, beat);
    if (broken === null) await leaveMark(connection);
    const beating = setInterval(() => {
      marks(connection)
        .updateOne({ _id: 'import' }, beat)
        .catch(() => undefined);
    }, beatMilliseconds);
    return new UnfinishedImport(connection, beating, broken?.writing === true);
  }

  /** From now on what is in the database is this import's. */
  async beginWriting(): Promise<void> {
    await marks(this.connection).updateOne({ _id: 'import' }, { $set: { writing: true } });
  }

  /** The import failed: the mark stays, and the next import need not wait until it is silent. */
  async breakOff(): Promise<void> {
    clearInterval(this.beating);
    const past = { $set: { beatAt: new Date(0) } };
    await marks(this.connection)
      .updateOne({ _id: 'import' }, past)
      .catch(() => undefined);
  }

  /** The import is whole: takes the mark away. */
  async finish(): Promise<void> {
    clearInterval(this.beating);
    await marks(this.connection).drop();
  }
}

const beat = [{ $set: { beatAt: '$$NOW' } }];

function marks(connection: Connection): mongo.Collection<Mark> {
  return connection.collection(unfinishedImportCollection) as unknown as mongo.Collection<Mark>;
}

async function leaveMark(connection: Connection): Promise<void> {
  try {
    // A mark that is there has this field, so that the insert meets it.
    await marks(connection).updateOne({ _id: 'import', beatAt: { $exists: false } }, beat, { upsert: true });
  } catch (error) {
    if (!(error instanceof mongo.MongoServerError) || error.code !== duplicateKeyCode) throw error;
    throw new StartError(
      `Another import writes to this database, or was broken off less than ${silentMilliseconds / 1000} s ago: try again then`,
      { cause: error },
    );
  }
}
