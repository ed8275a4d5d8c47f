import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Express } from 'express';
import { LeanExpressAdapter } from './lean-express-adapter.js';
import { onceGiven } from './once-given.js';

describe('the server of the adapter', () => {
  let server: Server;
  let express: Express;

  beforeEach(async () => {
    const adapter = new LeanExpressAdapter();
    adapter.initHttpServer();
    server = adapter.getHttpServer();
    express = adapter.getInstance<Express>();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  afterEach(() => new Promise((resolve) => server.close(resolve)));

  const get = (path: string) => fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`);

  it('makes requests and answers with the prototypes that Express would give them, so that it changes none', async () => {
    const met: unknown[] = [];
    server.prependListener('request', (request: IncomingMessage, response: ServerResponse) => {
      met.push(Object.getPrototypeOf(request), Object.getPrototypeOf(response));
    });
    express.get('/', (request, response) => {
      met.push(Object.getPrototypeOf(request), Object.getPrototypeOf(response));
      response.end();
    });
    await get('/');
    expect(met).toHaveLength(4);
    expect(met[0]).toBe(express.request);
    expect(met[1]).toBe(express.response);
    expect(met.slice(2)).toEqual([express.request, express.response]);
  });

  it('leaves Express what it knows of requests and answers', async () => {
    express.get('/:name', (request, response) => {
      response.status(201).json({ name: request.params['name'], ip: request.ip, app: request.app === express });
    });
    const answer = await get('/hawks');
    expect([answer.status, await answer.json()]).toEqual([201, { name: 'hawks', ip: '127.0.0.1', app: true }]);
  });

  it('tells of an answer that is given, before its first byte is sent and once', async () => {
    const told: boolean[] = [];
    express.get('/', (_request, response) => {
      onceGiven(response, () => told.push(response.headersSent));
      response.json({});
      response.end();
    });
    await get('/');
    expect(told).toEqual([false]);
  });
});
