import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

/** An error response instead of the server's, or a connection that is closed without a response. */
export type Fault = { status: number; error: number; retryAfter?: number | string } | 'lost request' | 'lost response';

const forwardedHeaders = ['authorization', 'content-type', 'idem-key', 'if-match', 'if-none-match', 'x-request-id'];

/** Forwards requests to a server, except those that a test lets fail. */
export class FaultyProxy {
  /** Method and URL of each request, in order. */
  readonly requests: string[] = [];
  /** The `idem-key` of each request, in order. */
  readonly idemKeys: (string | undefined)[] = [];
  /** Returns the fault of a request, if it has one. */
  faultOf: (request: string) => Promise<Fault | undefined> | Fault | undefined = () => undefined;

  private constructor(
    private readonly server: Server,
    private readonly target: string,
  ) {}

  static async start(target: string): Promise<FaultyProxy> {
    const server = createServer();
    const proxy = new FaultyProxy(server, target);
    server.on('request', (request, response) => {
      proxy.answer(request, response).catch(() => response.destroy());
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return proxy;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  stop(): void {
    this.server.close();
    this.server.closeAllConnections();
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', url = '', headers } = request;
    const body = await buffer(request);
    this.requests.push(`${method} ${url}`);
    this.idemKeys.push(headers['idem-key'] as string | undefined);
    const fault = await this.faultOf(`${method} ${url}`);
    if (fault === 'lost request') return void response.destroy();
    if (typeof fault === 'object') {
      if (fault.retryAfter !== undefined) response.setHeader('Retry-After', fault.retryAfter);
      response.writeHead(fault.status, { 'Content-Type': 'application/json' });
      return void response.end(JSON.stringify({ error: fault.error, message: 'A fault of the test' }));
    }
    const forwarded = await fetch(this.target + url, {
      method,
      headers: forwardedHeaders.flatMap((name): [string, string][] =>
        headers[name] === undefined ? [] : [[name, String(headers[name])]],
      ),
      body: body.length === 0 ? null : body,
    });
    const text = await forwarded.text();
    if (fault === 'lost response') return void response.destroy();
    const [retryAfter, etag] = ['retry-after', 'etag'].map((name) => forwarded.headers.get(name));
    response.writeHead(forwarded.status, {
      'Content-Type': 'application/json',
      ...(retryAfter && { 'Retry-After': retryAfter }),
      ...(etag && { ETag: etag }),
    });
    response.end(text);
  }
}
