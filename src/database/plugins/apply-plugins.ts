import type { Connection } from 'mongoose';
import { immutableFields } from './immutable-fields.js';
import { publishChanges } from './publish-changes.js';
import { tenant } from './tenant.js';
import { timeLimits } from './time-limits.js';
import { writeErrors } from './write-errors.js';

/** Applies the plugins that every model has. Call it before the connection has models. */
export function applyPlugins(connection: Connection): Connection {
  const plugins = [tenant, immutableFields, publishChanges, timeLimits, writeErrors];
  return plugins.reduce((each, plugin) => each.plugin(plugin), connection);
}
