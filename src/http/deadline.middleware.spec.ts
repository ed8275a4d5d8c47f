import { createServer, get, type IncomingMessage } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { deadline } from './deadline.middleware.js';

describe('deadline', () => {
  it.each([
    [2_300, 50302],
    [2_200, 50301],
  ])('after %i ms in the queue, responds %i', async (waitedMilliseconds, code) => {
    const server = createServer((request, response) => {
      const arrivedAt = performance.now() - 4_490;
      Object.assign(request, { arrivedAt, waitedMilliseconds, requestId: 'one' });
      deadline(request, response, () => undefined);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const [answer] = (await once(get({ port, host: '127.0.0.1', agent: false }), 'response')) as [IncomingMessage];
    expect(await json(answer)).toMatchObject({ error: code });
    server.close();
  });
});
