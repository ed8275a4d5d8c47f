import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** Both ends of one connection through the proxy. */
interface Passage {
  readonly client: Socket;
  readonly target: Socket;
  /** Bytes of it were swallowed: nothing that comes later could be understood. */
  lossy: boolean;
}

type Mode = 'pass' | 'swallow' | 'reset';

/** Stands between a server and its database, and breaks the connections as a bad network does. */
export class DatabaseProxy {
  /** Counts what it did to somebody, so that a test knows that it did. */
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

  /** Listens on a free port of 127.0.0.1 and passes everything on to `targetPort`. */
  static async to(targetPort: number): Promise<DatabaseProxy> {
    // A side that ends its half goes on reading until the other one ends too: what happens then is the proxy's to say.
    const server = createServer({ allowHalfOpen: true, noDelay: true }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new DatabaseProxy(server, targetPort);
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  /** From now on every byte takes so long, in each direction. */
  delayBy(milliseconds: number): void {
    this.delay = milliseconds;
  }

  /**
   * From now on what is sent gets lost, and nobody is told; also where a connection is new. One that lost something stays
   * dead for good, as where a firewall has forgotten it.
   */
  swallow(): void {
    this.mode = 'swallow';
  }

  /** Resets every connection, and from now on each new one, too. */
  reset(): void {
    this.mode = 'reset';
    for (const passage of this.passages) this.cut(passage);
  }

  /** Ends the database's half of every connection, and keeps reading the other: nothing is ever answered on it. */
  halfClose(): void {
    for (const passage of this.passages) {
      this.harmed++;
      passage.lossy = true;
      passage.client.end();
    }
  }

  /** Passes everything on again; what is dead stays dead. */
  heal(): void {
    this.mode = 'pass';
    this.delay = 0;
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
    if (this.mode === 'reset') {
      this.cut(passage);
      return;
    }
    this.carry(passage, client, target);
    this.carry(passage, target, client);
  }

  /** Passes on what one side says, and its end. */
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

  /** After the delay; all timers of one length fire in their order, so bytes keep theirs. */
  private later(act: () => void): void {
    if (this.delay === 0) act();
    else setTimeout(act, this.delay);
  }
}
