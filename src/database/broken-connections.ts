import { MongoClient } from 'mongodb';
import { Connection } from 'mongodb/lib/cmap/connection.js';
import { mongo } from 'mongoose';

/** The patched part of the driver's connection class, none of which is public. */
interface DriverConnection {
  readonly error: Error | null;
  once(event: 'close', listener: () => void): void;
  writeCommand: (this: DriverConnection, command: unknown, options: object) => Promise<void>;
}

const patched = new WeakSet();
/** For each connection, a signal that is aborted when it closes. */
const closings = new WeakMap<DriverConnection, AbortSignal>();

/**
 * Makes an operation fail if its connection breaks while the command is being sent. The driver (7.8) waits for the
 * socket to drain, which a closed socket never does: the operation never ends, despite all timeouts, and its
 * connection never returns to the pool. This happens to an operation that takes a connection just as a failing database
 * closes it, and to large commands that a hanging database does not read. Call it before the first connection; further
 * calls have no effect. Remove when the driver rejects such operations itself.
 * @throws Error if the driver has changed, so that the patch must be reviewed
 */
export function patchBrokenConnections(): void {
  const connection = driverConnection();
  if (patched.has(connection)) return;
  patched.add(connection);
  const write = connection.writeCommand;
  connection.writeCommand = function (command, options) {
    return write.call(this, command, { ...options, signal: closings.get(this) ?? followClosing(this) });
  };
}

/** Creates the signal of a connection, whose reason is the error that closed it. */
function followClosing(connection: DriverConnection): AbortSignal {
  const controller = new AbortController();
  connection.once('close', () => controller.abort(connection.error ?? new mongo.MongoNetworkError('Closed')));
  closings.set(connection, controller.signal);
  return controller.signal;
}

/** Returns the prototype of the driver's connections, after checking that Mongoose uses the same driver. */
function driverConnection(): DriverConnection {
  const { prototype } = (Connection ?? {}) as { prototype?: DriverConnection };
  if (mongo.MongoClient !== MongoClient)
    throw new Error('Mongoose uses another version of the MongoDB driver: set the same one in package.json');
  if (typeof prototype?.writeCommand !== 'function')
    throw new Error('The MongoDB driver no longer has Connection.writeCommand: review broken-connections.ts');
  return prototype;
}
