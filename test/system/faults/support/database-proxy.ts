import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** Both ends of one connection through the proxy. */
interface Passage {
  readonly client: Socket;
  readonly target: Socket;
  /** Bytes were dropped, so later ones would be unreadable. */
  lossy: boolean;
}

type Mode = 'pass' | 'swallow';

/** A proxy in front of a database that breaks connections like a bad network. */
export class DatabaseProxy {
  /** Counts its effects, so that a test can check that there were any. */
  harmed = 0;
  private readonly passages = new Set<Passage>();
  private mode: Mode = 'pass';
  private delay = 0;

  private constructor(
    private readonly server: Server,
    private readonly targetPort: number,
  ) {
    server.on('connection', (client) => this.join(client));
  }

  /** Listens on a free port of 127.0.0.1 and forwards to `targetPort`. */
  static async to(targetPort: number): Promise<DatabaseProxy> {
    // After one side has ended, the proxy decides when the other side ends.
    const server = createServer({ allowHalfOpen: true, noDelay: true }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new DatabaseProxy(server, targetPort);
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  /** Delays every byte in each direction. */
  delayBy(milliseconds: number): void {
    this.delay = milliseconds;
  }

  /**
   * Drops everything silently, also on new connections. A connection that has lost bytes stays broken, as if a
   * firewall had forgotten it.
   */
  swallow(): void {
    this.mode = 'swallow';
  }

  /** Ends the database's half of every connection and keeps reading the other half without responding. */
  halfClose(): void {
    for (const passage of this.passages) {
      this.harmed++;
      passage.lossy = true;
      passage.client.end();
    }
  }

  /** Forwards everything again; broken connections stay broken. */
  heal(): void {
    this.mode = 'pass';
  }

  /** Closes everything. */
  async remove(): Promise<void> {
    for (const { client, target } of this.passages) {
      client.destroy();
      target.destroy();
    }
    await new Promise((resolve) => this.server.close(resolve));
  }

  private join(client: Socket): void {
    const target = connect({ port: this.targetPort, host: '127.0.0.1', noDelay: true });
    const passage = { client, target, lossy: false };
    this.passages.add(passage);
    this.carry(passage, client, target);
    this.carry(passage, target, client);
  }

  /** Forwards the bytes and the end of one side. */
  private carry(passage: Passage, from: Socket, to: Socket): void {
    from.on('data', (bytes: Buffer) => {
      if (this.mode === 'swallow' && !passage.lossy) {
        this.harmed++;
        passage.lossy = true;
      }
      if (!passage.lossy) this.later(() => to.writable && to.write(bytes));
    });
    from.on('end', () => this.later(() => to.end()));
    from.on('error', () => this.cut(passage));
    from.on('close', () => {
      this.passages.delete(passage);
      this.later(() => to.destroy());
    });
  }

  private cut(passage: Passage): void {
    this.harmed++;
    this.passages.delete(passage);
    for (const socket of [passage.client, passage.target]) {
      socket.on('error', () => undefined);
      socket.resetAndDestroy();
    }
  }

  /** Forwards after the delay. Timers of equal length fire in order, so bytes keep theirs. */
  private later(act: () => void): void {
    if (this.delay === 0) act();
    else setTimeout(act, this.delay);
  }
}
