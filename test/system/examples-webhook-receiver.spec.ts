import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type IncomingMessage, request } from 'node:http';
import path from 'node:path';
import { Webhook } from 'standardwebhooks';
import { eventually } from '../support/processes.js';
import { receivers, ExampleReceiver } from '../support/example-receiver.js';

const secretOf = (text: string) => `whsec_${Buffer.from(text.padEnd(32)).toString('base64')}`;
const secret = secretOf('the secret');
const otherSecret = secretOf('another secret');
const data = { kind: 'team', id: '6650f1f77bcf86cd79943921', externalId: 'club-7', revision: 2, deleted: false };
const event = { type: 'team.updated', timestamp: '2027-05-01T10:00:00.000Z', data };
const body = JSON.stringify(event);
const minutes = 60_000;
const secondsOf = (time: Date) => String(Math.floor(time.getTime() / 1_000));

/** Returns the headers of a request, signed with each secret. */
function headersOf(id: string, { age = 0, secrets = [secret] } = {}): Record<string, string> {
  const at = new Date(Date.now() - age);
  return {
    'content-type': 'application/json',
    'webhook-id': id,
    'webhook-timestamp': secondsOf(at),
    'webhook-signature': secrets.map((each) => new Webhook(each).sign(id, at, body)).join(' '),
  };
}

describe.each(receivers)('examples/webhook-receiver/%s', (program) => {
  let receiver: ExampleReceiver;

  beforeAll(async () => {
    receiver = await ExampleReceiver.start(program, secret);
  });
  afterAll(() => receiver.stop());

  const post = async (headers: Record<string, string>, sent: string | Buffer = body) => {
    const response = await fetch(receiver.url, { method: 'POST', headers, body: new Uint8Array(Buffer.from(sent)) });
    return response.status;
  };
  const received = (id: string) => receiver.events.filter((each) => each.id === id);

  /** Waits until everything that was accepted before is printed: events are handled in order. */
  async function settle(): Promise<void> {
    const id = `last-${Math.random()}`;
    expect(await post(headersOf(id))).toBe(204);
    await eventually('the event is printed', () => received(id).length > 0);
  }

  it('accepts a signed event, and prints it', async () => {
    expect(await post(headersOf('signed'))).toBe(204);
    await settle();
    expect(received('signed')).toEqual([{ id: 'signed', ...event }]);
  });

  it('accepts a repeated event again, and handles it once', async () => {
    const statuses = [await post(headersOf('repeated')), await post(headersOf('repeated', { age: 1_000 }))];
    expect(statuses).toEqual([204, 204]);
    await settle();
    expect(received('repeated')).toHaveLength(1);
  });

  it.each<[string, (id: string) => Record<string, string>, string | Buffer]>([
    ['a changed body', headersOf, body.replace('club-7', 'club-8')],
    ['a body that is not UTF-8', headersOf, Buffer.from([0xff, 0xfe])],
    ['another secret', (id) => headersOf(id, { secrets: [otherSecret] }), body],
    ['an old timestamp', (id) => headersOf(id, { age: 6 * minutes }), body],
    ['no signature', (id) => ({ ...headersOf(id), 'webhook-signature': '' }), body],
  ])('rejects %s with 400, and prints nothing', async (name, headers, sent) => {
    const id = name.replaceAll(' ', '-');
    expect(await post(headers(id), sent)).toBe(400);
    await settle();
    expect(received(id)).toEqual([]);
  });

  it.each([
    ['a body of 20 kB', { 'content-length': '20000' }],
    ['a body of unknown length', { 'transfer-encoding': 'chunked' }],
  ])('rejects %s with 400 before it arrives', async (_name, headers) => {
    const call = request(receiver.url, { method: 'POST', headers: { ...headersOf('large'), ...headers } });
    call.flushHeaders();
    const [response] = (await once(call, 'response')) as [IncomingMessage];
    call.destroy();
    expect(response.statusCode).toBe(400);
  });
});

describe('docs/integration-guide/webhooks.md', () => {
  const guide = readFileSync(path.resolve(__dirname, '../../docs/integration-guide/webhooks.md'), 'utf8');

  it('has a request that is signed with its secret, and a command that prints the signature', () => {
    const [, key = ''] = /`(whsec_[^`]+)`/.exec(guide) ?? [];
    const [, head = '', sent = ''] = /^```http\nPOST.*\n([^]*?)\n\n(.*)\n```$/m.exec(guide) ?? [];
    const headers = Object.fromEntries(head.split('\n').map((line) => line.split(': ') as [string, string]));
    const at = new Date(Number(headers['webhook-timestamp']) * 1_000);
    expect(new Webhook(key).sign(headers['webhook-id'] ?? '', at, sent)).toBe(headers['webhook-signature']);
    const [, command = ''] = /^ *```bash\n([^]*?openssl[^]*?)^ *```$/m.exec(guide) ?? [];
    const printed = execFileSync('bash', ['-c', command], { encoding: 'utf8' });
    expect(`v1,${printed.trim()}`).toBe(headers['webhook-signature']);
  });
});
