import { once } from 'node:events';
import net from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** An answer as it stood on the wire. */
export interface RawResponse {
  status: number;
  headers: Record<string, string>;
  body: string;
}

/** A connection that sends whatever a test wants, which no HTTP client would. */
export class RawConnection {
  private readonly chunks: Buffer[] = [];
  private readonly closed: Promise<unknown>;

  private constructor(private readonly socket: net.Socket) {
    socket.on('data', (chunk) => this.chunks.push(chunk));
    socket.on('error', () => undefined); // a reset after the answer is the server's right
    this.closed = once(socket, 'close');
  }

  static async open(url: string): Promise<RawConnection> {
    const { hostname, port } = new URL(url);
    const socket = net.connect(Number(port), hostname);
    await once(socket, 'connect');
    return new RawConnection(socket);
  }

  /** Sends bytes; a text is sent as UTF-8. */
  send(bytes: string | Buffer): void {
    this.socket.write(bytes);
  }

  /**
   * Waits until something has arrived.
   * @throws Error if it has not when the server closes the connection
   */
  async receives(text: string): Promise<void> {
    while (!Buffer.concat(this.chunks).toString().includes(text)) {
      if (this.socket.closed) throw new Error(`The connection was closed without: ${text}`);
      await Promise.race([once(this.socket, 'data'), this.closed]);
    }
  }

  /** The answer, when the server has closed the connection or, at the latest, after five seconds. */
  async response(): Promise<RawResponse> {
    const late = setTimeout(() => this.socket.destroy(), 5_000);
    await this.closed;
    clearTimeout(late);
    return parse(Buffer.concat(this.chunks).toString());
  }

  /**
   * Everything that the server sent until it closed the connection.
   * @throws Error with what has arrived if it does not within the time
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

  /** Ends the connection with a reset. */
  reset(): void {
    this.socket.resetAndDestroy();
  }

  /** Reads nothing any more, as a client that is slow. */
  pause(): void {
    this.socket.pause();
  }
}

/** Sends one request as it is written and reads the answer; the request should ask for `Connection: close`. */
export async function exchange(url: string, request: string | Buffer): Promise<RawResponse> {
  const connection = await RawConnection.open(url);
  connection.send(request);
  return connection.response();
}

/** The statuses of all answers of a transcript; without 100, which is none. */
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
