import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import net from 'node:net';
import express from 'express';
import { Metrics } from '../observability/metrics.js';
import { OpenConnections } from './open-connections.js';
import { requestId } from './request-head.js';

const pipelined = 50;

describe('pending responses', () => {
  const metrics = new Metrics();
  const connections = new OpenConnections();
  const arrived: ServerResponse[] = [];
  let server: Server;

  /** Responds to every request except the first of a connection, which blocks the others. */
  beforeAll(async () => {
    const app = express().use(
      connections.track,
      requestId({ liveKeyPrefix: 'ffk_live_', testKeyPrefix: 'ffk_test_' }),
      metrics.measureRequests(
        () => undefined,
        () => undefined,
      ),
      (request, response) => {
        response.on('error', () => undefined);
        arrived.push(response);
        if (request.url !== '/never') response.end('ok');
      },
    );
    server = createServer(app);
    connections.follow(server);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  afterAll(() => server.close());

  const inFlight = async () => {
    const [figure] = (await metrics.registry.getSingleMetric('ffapi_http_requests_in_flight')?.get())?.values ?? [];
    return figure?.value;
  };
  const until = async (isSo: () => boolean) => {
    for (let turn = 0; !isSo() && turn < 400; turn++) await new Promise((resolve) => setTimeout(resolve, 5));
  };

  it.each(['resetAndDestroy', 'end'] as const)(
    'close with their connection, including pipelined ones: %s',
    async (how) => {
      arrived.length = 0;
      const socket = net.connect((server.address() as net.AddressInfo).port, '127.0.0.1');
      socket.on('error', () => undefined);
      const question = (path: string) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`;
      socket.write(question('/never') + question('/').repeat(pipelined));
      await until(() => arrived.length === 1 + pipelined);
      expect([arrived.filter((response) => connections.isOpen(response)).length, await inFlight()]).toEqual([51, 51]);
      if (how === 'end') arrived[0]?.req.socket.destroy();
      else socket.resetAndDestroy();
      await until(() => !arrived.some((response) => connections.isOpen(response)));
      expect([arrived.filter((response) => connections.isOpen(response)).length, await inFlight()]).toEqual([0, 0]);
      // Later writes are ignored without an error.
      arrived.forEach((response) => response.end('late'));
      const aborted = (await metrics.registry.getSingleMetric('ffapi_http_requests_total')?.get())?.values ?? [];
      expect(aborted.map(({ labels }) => labels['status'])).toEqual(['aborted']);
    },
  );
});
