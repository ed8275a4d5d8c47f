import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import net from 'node:net';
import express from 'express';
import { connectionLimits, handleClientErrors } from './client-errors.js';
import { OpenConnections } from './open-connections.js';
import { requestId } from './request-head.js';

/** More than the socket buffers of both sides. */
const much = 64 * 1024 * 1024;
const short = {
  headersTimeout: 300,
  requestTimeout: 2_000,
  timeout: 1_000,
  keepAliveTimeout: 1_500,
  connectionsCheckingInterval: 50,
};

describe('a slow client', () => {
  let server: Server;
  const sockets: net.Socket[] = [];

  beforeAll(async () => {
    const connections = new OpenConnections();
    const app = express().use(connections.track, requestId({ liveKeyPrefix: 'ffk_live_', testKeyPrefix: 'ffk_test_' }));
    app.get('/', (_request, response) => void response.send('ok'));
    app.get('/much', (_request, response) => void response.send(Buffer.alloc(much)));
    app.post('/', (request, response) => void request.resume().once('end', () => response.send('read')));
    app.post('/half', (_request, response) => void response.write('half of an answer'));
    server = createServer(app);
    Object.assign(server, connectionLimits, short);
    connections.follow(server);
    handleClientErrors(server, connections, () => undefined);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  afterEach(() => {
    for (const socket of sockets.splice(0)) socket.destroy();
  });
  afterAll(() => server.close());

  const connect = () => {
    const socket = net.connect((server.address() as net.AddressInfo).port, '127.0.0.1');
    socket.on('error', () => undefined);
    sockets.push(socket);
    return socket;
  };
  /** Reads until the server closes the connection. */
  const transcriptOf = async (socket: net.Socket) => {
    let text = '';
    socket.on('data', (chunk: Buffer) => (text += chunk.toString()));
    await once(socket, 'close');
    return text;
  };
  const drip = (socket: net.Socket, text: string) => {
    const timer = setInterval(() => socket.write(text), 40);
    socket.once('close', () => clearInterval(timer));
  };
  const refusedLate = (transcript: string) => {
    expect(transcript).toMatch(/^HTTP\/1\.1 400 /);
    expect(transcript).toContain('The request was not sent in time');
    expect(transcript.match(/HTTP\/1\.1/g)).toHaveLength(1);
  };

  it('is rejected if it sends nothing, incomplete headers, or endless headers', async () => {
    const [silent, half, dripping] = [connect(), connect(), connect()];
    half.write('GET / HTTP/1.1\r\nHost: x\r\nX-A');
    dripping.write('GET / HTTP/1.1\r\nHost: x\r\n');
    drip(dripping, 'X-A: a\r\n');
    for (const transcript of await Promise.all([silent, half, dripping].map(transcriptOf))) refusedLate(transcript);
  });

  it('is rejected if its body stops, or is sent byte by byte', async () => {
    const [stopping, dripping] = [connect(), connect()];
    for (const socket of [stopping, dripping])
      socket.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 999\r\n\r\n{');
    drip(dripping, ' ');
    for (const transcript of await Promise.all([stopping, dripping].map(transcriptOf))) refusedLate(transcript);
  });

  it('is disconnected if it does not read the response', async () => {
    const socket = connect();
    socket.pause();
    socket.write('GET /much HTTP/1.1\r\nHost: x\r\n\r\n');
    const [served] = (await once(server, 'connection')) as [net.Socket];
    await once(served, 'close');
    expect((await transcriptOf(socket.resume())).length).toBeLessThan(much);
  });

  it('is disconnected without a second response if it stalls after the response has started', async () => {
    const socket = connect();
    socket.write('POST /half HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n{');
    const transcript = await transcriptOf(socket);
    expect(transcript).toContain('half of an answer');
    expect(transcript.match(/HTTP\/1\.1/g)).toHaveLength(1);
  });
});

describe('connection limits', () => {
  it('are 10 s for headers, 30 s for a request, 15 s of inactivity and 65 s between two requests', () => {
    expect(connectionLimits).toEqual({
      headersTimeout: 10_000,
      requestTimeout: 30_000,
      timeout: 15_000,
      keepAliveTimeout: 65_000,
      connectionsCheckingInterval: 1_000,
      maxHeadersCount: 0,
    });
  });
});
