import type { ClientSession, MongooseBulkWriteOptions, MongooseQueryOrDocumentMiddleware } from 'mongoose';

declare module 'mongoose' {
  /** What an operation tells the plugins; those of queries and aggregations accept every option. */
  interface MongooseBulkWriteOptions {
    /** The operation may reach records of several organizations. */
    allTenants?: boolean;
    /** The operation also reaches deleted records. */
    withDeleted?: boolean;
  }
}

export interface OperationOptions extends Pick<MongooseBulkWriteOptions, 'allTenants' | 'withDeleted'> {
  readonly session?: ClientSession | null | undefined;
}

export const reads = ['find', 'findOne', 'countDocuments', 'distinct'] as MongooseQueryOrDocumentMiddleware[];
export const updates = ['updateOne', 'updateMany', 'findOneAndUpdate'] as MongooseQueryOrDocumentMiddleware[];
export const writes = [
  ...[...updates, 'replaceOne', 'findOneAndReplace', 'deleteOne', 'deleteMany', 'findOneAndDelete'],
] as MongooseQueryOrDocumentMiddleware[];

/** The options of a hook that runs for queries, not for documents. */
export const onQuery = { document: false, query: true } as const;

/** A filter, or a record that is inserted. */
export type Fields = Readonly<Record<string, unknown>>;

/** A write of a bulk write: its name, and what it writes. */
export type BulkOperation = Readonly<Record<string, Readonly<Partial<Record<'document' | 'filter', Fields>>>>>;

/** Returns the filter of a write of a bulk write, or the record that it inserts. */
export function fieldsOf(operation: BulkOperation): Fields {
  const [write] = Object.values(operation);
  return write?.document ?? write?.filter ?? {};
}
