import type { Socket } from 'node:net';
import { MongoClient } from 'mongodb';
import { Connection } from 'mongodb/lib/cmap/connection.js';
import { mongo } from 'mongoose';

/** The part of the driver's connection that is mended; none of it is public. */
interface DriverConnection {
  readonly socket: Socket;
  readonly error: Error | null;
  onClose(): void;
  throwIfAborted(): void;
  once(event: 'close', listener: () => void): void;
  off(event: 'close', listener: () => void): void;
  writeCommand: (this: DriverConnection, command: unknown, options: unknown) => Promise<void>;
}

const mended = new WeakSet();

/**
 * Lets an operation fail whose connection breaks while it is being sent. The driver (7.8) waits there for the socket to
 * drain, which a closed one never does: the operation then never ends, whatever the timeouts, and its connection is never
 * given back to the pool. It meets every operation that takes a connection in the moment in which a database that dies
 * has closed it, and large ones that a hanging database does not read. Call it before the first connection; calling it
 * again does nothing.
 * @throws Error where the driver has changed and this has to be looked at anew
 */
export function endOperationsOfBrokenConnections(): void {
  const connection = driverConnection();
  if (mended.has(connection)) return;
  mended.add(connection);
  const write = connection.writeCommand;
  connection.writeCommand = async function (command, options) {
    // Closed already, but the word of it comes with a later turn of the event loop.
    if (this.socket.destroyed) this.onClose();
    this.throwIfAborted();
    let closed = (): void => undefined;
    const broken = new Promise<never>((_, reject) => {
      closed = () => reject(this.error ?? new mongo.MongoNetworkError('The connection closed'));
      this.once('close', closed);
    });
    try {
      await Promise.race([write.call(this, command, options), broken]);
    } catch (error) {
      throw asNetworkError(error);
    } finally {
      this.off('close', closed);
    }
  };
}

/** The socket's own error, as of a reset, the driver hands on as it is, and neither tries again nor knows it as its own. */
function asNetworkError(error: unknown): unknown {
  const isSockets = error instanceof Error && !(error instanceof mongo.MongoError) && 'syscall' in error;
  return isSockets ? new mongo.MongoNetworkError(error.message, { cause: error }) : error;
}

/** The driver's class of connections: of the one driver that is installed, which Mongoose uses, too. */
function driverConnection(): DriverConnection {
  const { prototype } = (Connection ?? {}) as { prototype?: DriverConnection };
  if (mongo.MongoClient !== MongoClient)
    throw new Error('Mongoose has a driver of its own: package.json names another');
  if (typeof prototype?.writeCommand !== 'function')
    throw new Error('The driver of MongoDB writes its commands in another way: see broken-connections.ts');
  return prototype;
}
