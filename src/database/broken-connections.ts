import type { Socket } from 'node:net';
import { MongoClient } from 'mongodb';
import { Connection } from 'mongodb/lib/cmap/connection.js';
import { mongo } from 'mongoose';

/** The patched part of the driver's connection class, none of which is public. */
interface DriverConnection {
  readonly socket: Socket;
  readonly error: Error | null;
  onClose(): void;
  throwIfAborted(): void;
  once(event: 'close', listener: () => void): void;
  off(event: 'close', listener: () => void): void;
  writeCommand: (this: DriverConnection, command: unknown, options: unknown) => Promise<void>;
}

const patched = new WeakSet();

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
  connection.writeCommand = async function (command, options) {
    // The socket is closed already, but its `close` event follows in a later turn of the event loop.
    if (this.socket.destroyed) this.onClose();
    this.throwIfAborted();
    let onClose = (): void => undefined;
    const broken = new Promise<never>((_, reject) => {
      onClose = () => reject(this.error ?? new mongo.MongoNetworkError('The connection closed'));
      this.once('close', onClose);
    });
    try {
      await Promise.race([write.call(this, command, options), broken]);
    } catch (error) {
      throw asNetworkError(error);
    } finally {
      this.off('close', onClose);
    }
  };
}

/** Wraps an error of the socket, such as a reset: the driver passes it on as it is and does not retry. */
function asNetworkError(error: unknown): unknown {
  const isSocketError = error instanceof Error && !(error instanceof mongo.MongoError) && 'syscall' in error;
  return isSocketError ? new mongo.MongoNetworkError(error.message, { cause: error }) : error;
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
