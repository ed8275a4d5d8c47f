import type { Connection } from 'mongoose';
import { publishChanges } from './publish-changes.js';
import { tenant } from './tenant.js';
import { operationOptions } from './operation-options.js';
import { writeErrors } from './write-errors.js';

/** Maximum time of a read on the database, in milliseconds. */
const readTimeLimit = 3_000;

/** Applies what every model has. Call it before the connection has models. */
export function applyPlugins(connection: Connection): Connection {
  connection.set('maxTimeMS', readTimeLimit);
  const plugins = [tenant, operationOptions, publishChanges, writeErrors];
  return plugins.reduce((each, plugin) => each.plugin(plugin), connection);
}
