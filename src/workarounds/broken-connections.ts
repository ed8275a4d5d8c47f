import { MongoClient } from 'mongodb';
import { Connection } from 'mongodb/lib/cmap/connection.js';
import { mongo } from 'mongoose';

const { writeCommand } = Connection.prototype;
/** For each connection, a signal that is aborted when it closes. */
const closings = new WeakMap<Connection, AbortSignal>();

/**
 * Makes an operation fail if its connection breaks while the command is being sent. The driver (7.8) waits for the
 * socket to drain (since https://github.com/mongodb/node-mongodb-native/pull/4022; we know of no issue about it), which a
 * closed socket never does: the operation never ends, despite all timeouts, and its connection never returns to the pool.
 * This happens to an operation that takes a connection just as a failing database closes it, and to large commands that a
 * hanging database does not read. Call it before the first connection; further calls have no effect. Remove when the driver
 * rejects such operations itself.
 * @throws Error if the driver has changed, so that the patch must be reviewed
 */
export function patchBrokenConnections(): void {
  if (mongo.MongoClient !== MongoClient)
    throw new Error('Mongoose uses another version of the MongoDB driver: set the same one in package.json');
  if (writeCommand === undefined)
    throw new Error('The MongoDB driver no longer has Connection.writeCommand: review broken-connections.ts');
  Connection.prototype.writeCommand = function (command, options) {
    return writeCommand.call(this, command, { ...options, signal: closings.get(this) ?? followClosing(this) });
  };
}

/** Creates the signal of a connection, whose reason is the error that closed it. */
function followClosing(connection: Connection): AbortSignal {
  const controller = new AbortController();
  connection.once('close', () => controller.abort(connection.error ?? new mongo.MongoNetworkError('Closed')));
  closings.set(connection, controller.signal);
  return controller.signal;
}
