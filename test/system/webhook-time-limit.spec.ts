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
    expect(attempt.error !== undefined).toBe(statusCode === undefined);
    await listener.stop();
  });
});
