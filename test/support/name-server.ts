import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { isIPv4 } from 'node:net';
import ipaddr from 'ipaddr.js';

const types = { A: 1, AAAA: 28 };
const notFound = 0x8183;
const found = 0x8180;

/** A name server on this machine. It says that a name does not exist unless told otherwise. */
export class NameServer {
  /** The names that were asked for, in order, once per question. */
  readonly asked: string[] = [];

  private constructor(
    private readonly socket: Socket,
    /** Returns the addresses of a name; null: no response. */
    private readonly addressesOf: (name: string) => readonly string[] | null,
  ) {
    socket.on('message', (query, { port, address }) => {
      const response = this.respond(query);
      if (response !== null) socket.send(response, port, address);
    });
  }

  static async start(addressesOf: NameServer['addressesOf']): Promise<NameServer> {
    const socket = createSocket('udp4').bind(0, '127.0.0.1');
    await once(socket, 'listening');
    return new NameServer(socket, addressesOf);
  }

  get address(): string {
    return `127.0.0.1:${this.socket.address().port}`;
  }

  /** Code for `preload` that makes a process ask this server, as if `/etc/resolv.conf` named it. */
  get preloaded(): string {
    return `
      import dns from 'node:dns/promises';
      import { syncBuiltinESMExports } from 'node:module';
      dns.Resolver = class extends dns.Resolver {
        constructor(options) {
          super(options);
          this.setServers(['${this.address}']);
        }
      };
      syncBuiltinESMExports();`;
  }

  stop(): void {
    this.socket.close();
  }

  /** Responds to a query: a header of 12 bytes, the labels of the name, and the type and class of the question. */
  private respond(query: Buffer): Buffer | null {
    const labels: string[] = [];
    let end = 12;
    for (let length = query[end] ?? 0; length > 0; length = query[end] ?? 0) {
      labels.push(query.toString('latin1', end + 1, end + 1 + length));
      end += 1 + length;
    }
    const name = labels.join('.').toLowerCase();
    this.asked.push(name);
    const addresses = this.addressesOf(name);
    if (addresses === null) return null;
    const type = query.readUInt16BE(end + 1);
    const answers = addresses
      .filter((address) => type === (isIPv4(address) ? types.A : types.AAAA))
      .map((address) => {
        const bytes = ipaddr.parse(address).toByteArray();
        // A pointer to the name of the question, its type and class, 0 s to live, and the address.
        return Buffer.from([0xc0, 12, 0, type, 0, 1, 0, 0, 0, 0, 0, bytes.length, ...bytes]);
      });
    const header = Buffer.alloc(12);
    query.copy(header, 0, 0, 2);
    header.writeUInt16BE(addresses.length > 0 ? found : notFound, 2);
    header.writeUInt16BE(1, 4);
    header.writeUInt16BE(answers.length, 6);
    return Buffer.concat([header, query.subarray(12, end + 5), ...answers]);
  }
}
