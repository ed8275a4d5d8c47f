/** The part of the driver's connections that broken-connections.ts patches. */
declare module 'mongodb/lib/cmap/connection.js' {
  export class Connection {
    readonly error: Error | null;
    once(event: 'close', listener: () => void): void;
    writeCommand?: (this: Connection, command: unknown, options: object) => Promise<void>;
  }
}
