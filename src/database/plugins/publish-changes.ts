import { tracingChannel } from 'node:diagnostics_channel';
import type { Query, Schema } from 'mongoose';
import { publishChange } from '../operation-events.js';
import { type BulkOperation, fieldsOf, type OperationOptions, onQuery, writes } from './hooks.js';

/** Publishes which record an operation may have changed, also if it failed, unless the options say `uncached`. */
export function publishChanges(schema: Schema): void {
  const publish = (query: Query<unknown, unknown>): void => {
    const { session, uncached = false } = query.getOptions() as OperationOptions;
    if (!uncached) publishChange(query.model.collection.name, query.getFilter(), session);
  };
  schema.post(writes, onQuery, function () {
    publish(this);
  });
  schema.post(writes, onQuery, function (error: Error, _result: unknown, next: (error: Error) => void) {
    publish(this);
    next(error);
  });
  // A record that a transaction reads may show a change of another server that the caches do not know yet.
  schema.pre('findOne', onQuery, function () {
    if (this.getOptions().session) publish(this);
  });
}

interface BulkWrite {
  readonly collection: string;
  readonly args: { readonly ops: readonly BulkOperation[]; readonly options?: OperationOptions };
}

// Hooks after a bulk write do not get its operations, so what Mongoose traces is used.
tracingChannel('mongoose:model:bulkWrite').asyncEnd.subscribe((message) => {
  const { collection, args } = message as BulkWrite;
  const { session, uncached = false } = args.options ?? {};
  const changing = uncached ? [] : args.ops.filter((operation) => !('insertOne' in operation));
  for (const operation of changing) publishChange(collection, fieldsOf(operation), session);
});
