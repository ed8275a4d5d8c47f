import { once } from 'node:events';
import net from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** A response as received on the socket. */
export interface RawResponse {
  status: number;
  headers: Record<string, string>;
  body: string;
}

/** A connection that sends any bytes, which no HTTP client would. */
export class RawConnection {
  private readonly chunks: Buffer[] = [];
  private readonly closed: Promise<unknown>;

  private constructor(private readonly socket: net.Socket) {
    socket.on('data', (chunk) => this.chunks.push(chunk));
    socket.on('error', () => undefined); // the server may reset the connection after its response
    this.closed = once(socket, 'close');
  }

  static async open(url: string): Promise<RawConnection> {
    const { hostname, port } = new URL(url);
    const socket = net.connect(Number(port), hostname);
    await once(socket, 'connect');
    return new RawConnection(socket);
  }

  /** Sends bytes; a string is sent as UTF-8. */
  send(bytes: string | Buffer): void {
    this.socket.write(bytes);
  }

  /**
   * Waits until a text has been received.
   * @throws Error if the server closes the connection before
   */
  async receives(text: string): Promise<void> {
    while (!Buffer.concat(this.chunks).toString().includes(text)) {
      if (this.socket.closed) throw new Error(`The connection was closed without: ${text}`);
      await Promise.race([once(this.socket, 'data'), this.closed]);
    }
  }

  /** Returns the response after the server closed the connection, or after five seconds. */
  async response(): Promise<RawResponse> {
    const late = setTimeout(() => this.socket.destroy(), 5_000);
    await this.closed;
    clearTimeout(late);
    return parse(Buffer.concat(this.chunks).toString());
  }

  /**
   * Returns everything that the server sent until it closed the connection.
   * @throws Error with the received text after the timeout
   */
  async transcript(withinSeconds = 5): Promise<string> {
    const isClosed = await Promise.race([
      this.closed.then(() => true),
      sleep(withinSeconds * 1_000, false, { ref: false }),
    ]);
    this.socket.destroy();
    const text = Buffer.concat(this.chunks).toString();
    if (!isClosed) throw new Error(`The connection is open after ${withinSeconds} s: ${text}`);
    return text;
  }

  close(): void {
    this.socket.destroy();
  }

  /** Closes the connection with a reset. */
  reset(): void {
    this.socket.resetAndDestroy();
  }

  /** Stops reading, like a slow client. */
  pause(): void {
    this.socket.pause();
  }
}

/** Sends a raw request and returns the response; the request should contain `Connection: close`. */
export async function exchange(url: string, request: string | Buffer): Promise<RawResponse> {
  const connection = await RawConnection.open(url);
  connection.send(request);
  return connection.response();
}

/** The statuses of all responses in a transcript except 100. */
export function statusesIn(transcript: string): number[] {
  return [...transcript.matchAll(/HTTP\/1\.1 (\d{3}) /g)]
    .map((match) => Number(match[1]))
    .filter((status) => status > 100);
}

function parse(text: string): RawResponse {
  const [head = '', ...rest] = text.replace(/^HTTP\/1\.1 100 Continue\r\n\r\n/, '').split('\r\n\r\n');
  const [first = '', ...lines] = head.split('\r\n');
  const headers = lines.map((line) => /^([^:]+): *(.*)$/.exec(line)?.slice(1) ?? []);
  return {
    status: Number(/^HTTP\/1\.1 (\d{3}) /.exec(first)?.[1]),
    headers: Object.fromEntries(headers.map(([name = '', value = '']) => [name.toLowerCase(), value])),
    body: rest.join('\r\n\r\n'),
  };
}
