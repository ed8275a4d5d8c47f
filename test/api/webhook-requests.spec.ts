import { createServer, type RequestListener, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { promisify } from 'node:util';
import { Webhook } from 'standardwebhooks';
import { eventuallyPasses } from '../support/processes.js';
import { newSender, sendTo, TcpListener, webhookSecret } from '../support/webhook-sender.js';

/** Requests to receivers on this machine, without a server of the API. */
const sender = newSender({ WEBHOOK_ALLOW_PRIVATE_ADDRESSES: 'true' });
const stops: (() => Promise<unknown>)[] = [];

afterEach(() => Promise.all(stops.splice(0).map((stop) => stop())));

async function listen(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  stops.push(() => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

async function listenTcp(...onConnection: Parameters<typeof TcpListener.start>): Promise<TcpListener> {
  const listener = await TcpListener.start(...onConnection);
  stops.push(() => listener.stop());
  return listener;
}

/** Starts a receiver that writes these bytes in response to a request, and closes the connection. */
const respondRaw = async (bytes: string): Promise<string> => {
  const { port } = await listenTcp((socket) => void socket.once('data', () => socket.end(bytes)));
  return `http://127.0.0.1:${port}/`;
};

const respond = (listener: RequestListener) => listen(createServer(listener));

async function startProxy(): Promise<{ url: string; connects: string[] }> {
  const connects: string[] = [];
  const proxy = createServer();
  proxy.on('connect', (request, socket, head) => {
    connects.push(request.url ?? '');
    const { port } = new URL(`http://${request.url ?? ''}`);
    const target = connect(Number(port), '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      target.write(head);
      target.pipe(socket).pipe(target);
    });
    for (const each of [socket, target]) each.on('error', () => [socket, target].map((one) => one.destroy()));
    stops.push(() => Promise.resolve([socket, target].map((one) => one.destroy())));
  });
  return { url: await listen(proxy), connects };
}

describe('a request', () => {
  it.each([301, 307])('does not follow a redirect with %i', async (status) => {
    const target = await listenTcp();
    const url = await respond((_request, response) => {
      response.writeHead(status, { Location: `http://127.0.0.1:${target.port}/` }).end();
    });
    expect((await sendTo(sender, url)).attempt).toMatchObject({ statusCode: status });
    expect(target.connections).toBe(0);
  });

  it('reads the start of a long response, and closes its connection', async () => {
    const [chunk, chunks] = [Buffer.alloc(16_384), 640];
    let written = 0;
    const url = await respond((_request, response) => {
      const write = (): void => {
        if (response.destroyed || written === chunks) return;
        written += 1;
        if (response.write(chunk)) setImmediate(write);
        else response.once('drain', write);
      };
      write();
    });
    expect((await sendTo(sender, url)).attempt).toMatchObject({ statusCode: 200 });
    // The rest is what the sockets of the system had buffered.
    expect(written).toBeLessThan(chunks);
  });

  it('counts with its status if the response ends in the middle of its body', async () => {
    const url = await respondRaw('HTTP/1.1 202 Accepted\r\nContent-Length: 1000\r\n\r\nonly this');
    expect((await sendTo(sender, url)).attempt).toMatchObject({ statusCode: 202 });
  });

  it.each([
    ['nothing', ''],
    ['no HTTP', 'SSH-2.0-OpenSSH_9.6\r\n'],
    ['half a header', 'HTTP/1.1 200 OK\r\nContent-Le'],
    ['too many headers', `HTTP/1.1 200 OK\r\n${'X-Long: value\r\n'.repeat(10_000)}\r\n`],
  ])('has an error, and ends, if the response is %s', async (_what, bytes) => {
    const { attempt } = await sendTo(sender, await respondRaw(bytes));
    expect(attempt.statusCode).toBeUndefined();
    expect(attempt.error).toMatch(/\w/);
  });

  it('has an error if nothing listens', async () => {
    const listener = await TcpListener.start();
    await listener.stop();
    expect((await sendTo(sender, `http://127.0.0.1:${listener.port}/`)).attempt.error).toBe('ECONNREFUSED');
    // Every address of this name is tried.
    expect((await sendTo(sender, `http://localhost:${listener.port}/`)).attempt.error).toBe('ECONNREFUSED');
  });

  it('uses the connection of one that was just sent, and closes it when it stays idle, also through a proxy', async () => {
    const receiver = createServer((_request, response) => void response.writeHead(204).end());
    receiver.keepAliveTimeout = 0; // Never closes a connection itself.
    const url = await listen(receiver);
    let connections = 0;
    receiver.on('connection', () => (connections += 1));
    const proxied = newSender({ WEBHOOK_ALLOW_PRIVATE_ADDRESSES: 'true', WEBHOOK_PROXY_URL: (await startProxy()).url });
    for (const each of [sender, proxied]) for (let sent = 0; sent < 3; sent += 1) await sendTo(each, url);
    expect(connections).toBe(2);
    const open = () => promisify(receiver.getConnections.bind(receiver))();
    expect(await open()).toBe(2);
    await eventuallyPasses(async () => expect(await open()).toBe(0), 5);
  });

  it.each([
    ['seconds', '120', 120_000],
    ['a date', () => new Date(Date.now() + 600_000).toUTCString(), 600_000],
    ['nonsense', 'soon', undefined],
  ])('reads Retry-After as %s', async (_what, value, expected) => {
    const url = await respond((_request, response) => {
      response.writeHead(503, { 'Retry-After': typeof value === 'string' ? value : value() }).end();
    });
    const { retryAfter } = await sendTo(sender, url);
    if (expected === undefined) expect(Math.max(retryAfter ?? 0, 0)).toBe(0);
    else expect(Math.abs((retryAfter ?? 0) - expected)).toBeLessThan(5_000);
  });

  it('offers no key exchange whose cost the receiver chooses, also if the scheme is in capitals', async () => {
    const bytes: Buffer[] = [];
    const listener = await listenTcp((socket) => void socket.once('data', (data) => bytes.push(data) && socket.end()));
    await sendTo(sender, `HTTPS://127.0.0.1:${listener.port}/`);
    // ClientHello (RFC 8446, 4.1.2): 43 bytes of headers, version and random, then the session ID and the cipher suites.
    const hello = Buffer.concat(bytes);
    const start = 44 + hello.readUInt8(43);
    const length = hello.readUInt16BE(start);
    const suites = Array.from({ length: length / 2 }, (_, index) => hello.readUInt16BE(start + 2 + 2 * index));
    const ecdheRsaAes128GcmSha256 = 0xc02f;
    const dheRsaSuites = [0x33, 0x39, 0x67, 0x6b, 0x9e, 0x9f, 0xccaa, 0xc09e, 0xc09f, 0xc0a2, 0xc0a3];
    expect(suites).toContain(ecdheRsaAes128GcmSha256);
    expect(suites.filter((suite) => dheRsaSuites.includes(suite))).toEqual([]);
  });

  it('ends when a receiver sends more than 10 informational responses', async () => {
    const hint = 'HTTP/1.1 103 Early Hints\r\n\r\n';
    const few = await respondRaw(`${hint.repeat(10)}HTTP/1.1 204 No Content\r\n\r\n`);
    expect((await sendTo(sender, few)).attempt).toMatchObject({ statusCode: 204 });
    const { port } = await listenTcp((socket) => void socket.once('data', () => socket.write(hint.repeat(11))));
    const { attempt } = await sendTo(sender, `http://127.0.0.1:${port}/`);
    expect(attempt).toMatchObject({ error: 'Too many informational responses' });
  });
});

describe('a request through WEBHOOK_PROXY_URL', () => {
  it('arrives signed, in a tunnel to the name that the proxy resolves', async () => {
    const received: { headers: Record<string, string>; body: string }[] = [];
    const url = await respond((request, response) => {
      let body = '';
      request.on('data', (data) => (body += String(data)));
      request.on('end', () => {
        received.push({ headers: request.headers as Record<string, string>, body });
        response.writeHead(204).end();
      });
    });
    const proxy = await startProxy();
    const proxied = newSender({ WEBHOOK_ALLOW_PRIVATE_ADDRESSES: 'true', WEBHOOK_PROXY_URL: proxy.url });
    const { port } = new URL(url);
    const { attempt } = await sendTo(proxied, `http://erp.invalid:${port}/webhooks`);
    expect(attempt).toMatchObject({ statusCode: 204 });
    expect(proxy.connects).toEqual([`erp.invalid:${port}`]);
    const [{ headers, body } = { headers: {}, body: '' }] = received;
    new Webhook(webhookSecret).verify(body, headers);
  });

  it('does not accept another certificate than that of the name', async () => {
    const listener = await listenTcp((socket) => void socket.once('data', () => socket.end('no TLS')));
    const proxy = await startProxy();
    const proxied = newSender({ WEBHOOK_PROXY_URL: proxy.url });
    const { attempt } = await sendTo(proxied, `https://erp.invalid:${listener.port}/`);
    expect(attempt.error).toMatch(/\w/);
    await eventuallyPasses(() => expect(proxy.connects).toEqual([`erp.invalid:${listener.port}`]));
  });

  it('has an error without the address of a proxy that cannot be reached', async () => {
    for (const url of ['http://127.0.0.1:9/', 'http://proxy.invalid/']) {
      const { attempt } = await sendTo(newSender({ WEBHOOK_PROXY_URL: url }), 'https://erp.invalid/');
      expect(attempt.error).toMatch(/^E[A-Z_]+$/);
    }
  });

  it('has an error if the proxy refuses the tunnel, or does not respond', async () => {
    const refusing = await respondRaw('HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n');
    const silent = await respondRaw('');
    for (const url of [refusing, silent]) {
      const { attempt } = await sendTo(newSender({ WEBHOOK_PROXY_URL: url }), 'https://erp.invalid/');
      expect(attempt.statusCode === undefined || attempt.statusCode === 403).toBe(true);
    }
  });
});
