import { Model, type Query, type Schema } from 'mongoose';
import { publishChange } from '../operation-events.js';
import { type BulkOperation, fieldsOf, type OperationOptions, onQuery, writes } from './hooks.js';

/** Publishes which record an operation may have changed, also if it failed. */
export function publishChanges(schema: Schema): void {
  const publish = (query: Query<unknown, unknown>): void => {
    const { session } = query.getOptions() as OperationOptions;
    publishChange(query.model.collection.name, query.getFilter(), session);
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
  // Overridden, because hooks after a bulk write do not get its operations.
  schema.static('bulkWrite', async function (operations: BulkOperation[], options: OperationOptions = {}) {
    try {
      return await Model.bulkWrite.call(this, operations as never, options as never);
    } finally {
      const changing = operations.filter((operation) => !('insertOne' in operation));
      for (const operation of changing) publishChange(this.collection.name, fieldsOf(operation), options.session);
    }
  });
}
