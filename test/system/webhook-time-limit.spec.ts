import { eventuallyPasses } from '../support/processes.js';
import { newSender, sendTo, TcpListener } from '../support/webhook-sender.js';

const sender = newSender({ WEBHOOK_ALLOW_PRIVATE_ADDRESSES: 'true' });
const switching = 'HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n';
const endless = 'HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nonly this';

describe('an attempt to deliver a webhook ends after 15 s', () => {
  it.concurrent.each([
    ['an error, if there is no response', '', undefined],
    ['an error, if half of a header was received', 'HTTP/1.1 200 OK\r\nContent-Le', undefined],
    ['an error, if the response switches to another protocol', switching, undefined],
    ['the status, if the body does not end', endless, 200],
  ])('with %s', async (_what, bytes, statusCode) => {
    const listener = await TcpListener.start((socket) => void socket.once('data', () => socket.write(bytes)));
    const { attempt } = await sendTo(sender, `http://127.0.0.1:${listener.port}/`);
    expect(attempt.statusCode).toBe(statusCode);
    expect(attempt.error).toBe(statusCode === undefined ? 'No response within 15 s' : undefined);
    await listener.stop();
  });

  it.concurrent('and closes the connection to a proxy that does not respond', async () => {
    let open = 0;
    const proxy = await TcpListener.start((socket) => {
      open += 1;
      socket.resume().once('close', () => (open -= 1));
    });
    const proxied = newSender({ WEBHOOK_PROXY_URL: `http://127.0.0.1:${proxy.port}` });
    const { attempt } = await sendTo(proxied, 'https://erp.invalid/');
    expect([attempt.error, proxy.connections]).toEqual(['No response within 15 s', 1]);
    await eventuallyPasses(() => expect(open).toBe(0), 2);
    await proxy.stop();
  });
});
