import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** A proxy between a client and Redis that can lose connections silently, like a cut cable. */
export class Network {
  private readonly sockets = new Set<Socket>();

  private constructor(
    private readonly server: Server,
    private readonly targetPort: number,
  ) {
    server.on('connection', (client) => this.join(client));
  }

  /** Listens on a free port of 127.0.0.1 and forwards to `targetPort`. */
  static async to(targetPort: number): Promise<Network> {
    const network = new Network(createServer(), targetPort);
    await new Promise<void>((resolve) => network.server.listen(0, '127.0.0.1', resolve));
    return network;
  }

  get url(): string {
    return `redis://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** Keeps existing connections open without forwarding; new connections work. */
  loseConnections(): void {
    for (const socket of this.sockets) {
      socket.unpipe();
      socket.pause();
    }
  }

  /** Closes everything. */
  async remove(): Promise<void> {
    this.sockets.forEach((socket) => socket.destroy());
    await new Promise((resolve) => this.server.close(resolve));
  }

  private join(client: Socket): void {
    const target = connect(this.targetPort, '127.0.0.1');
    for (const socket of [client, target]) {
      this.sockets.add(socket);
      // A client that gives up resets the connection, which the test expects.
      socket.on('error', () => undefined);
    }
    client.pipe(target);
    target.pipe(client);
  }
}
