import type { Model } from 'mongoose';
import { type FieldChanges, toUpdate } from './field-changes.js';
import { findOneAndUpdateRecord } from './operations.js';
import { queryTimeLimit } from './reading.js';
import { toRecordId } from './record.js';
import type { Session } from './transaction.js';

/** A record that belongs to no organization, by id, or null; with a session as a transaction sees it. */
export function readById<T>(model: Model<T>, id: string, session?: Session): Promise<T | null> {
  return model
    .findById(toRecordId(id), null, session && { session })
    .maxTimeMS(queryTimeLimit)
    .lean<T>()
    .exec();
}

/** Changes such a record as a part of a transaction; the changed one, or null where there is none. */
export function changeById<T>(
  model: Model<T>,
  id: string,
  changes: FieldChanges<T>,
  session: Session,
): Promise<T | null> {
  return findOneAndUpdateRecord<T>(model, { _id: toRecordId(id) }, toUpdate(changes), { projection: {}, session });
}
