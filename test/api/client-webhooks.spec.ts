import { Webhook } from 'standardwebhooks';
import { verifyWebhook, WebhookVerificationError } from '../../clients/typescript/src/index.js';

const secretOf = (text: string) => `whsec_${Buffer.from(text.padEnd(32)).toString('base64')}`;
const secret = secretOf('the secret');
const otherSecret = secretOf('another secret');
const data = { kind: 'team', id: '6650f1f77bcf86cd79943921', externalId: 'club-7', revision: 2, deleted: false };
const event = { type: 'team.updated', timestamp: '2027-05-01T10:00:00.000Z', data };
const body = JSON.stringify(event);
const now = Date.parse('2027-05-01T10:00:01.000Z');
const seconds = 1_000;

/** Returns the headers of a request that the `standardwebhooks` package has signed, with each secret. */
function headersOf({ age = 0, secrets = [secret], sent = body } = {}): Record<string, string> {
  const at = new Date(now - age);
  return {
    'webhook-id': 'event-1',
    'webhook-timestamp': String(Math.floor(at.getTime() / seconds)),
    'webhook-signature': secrets.map((each) => new Webhook(each).sign('event-1', at, sent)).join(' '),
  };
}

const verify = (
  headers: Record<string, string>,
  sent: string | Uint8Array = body,
  secrets: string | string[] = secret,
) => verifyWebhook({ body: sent, headers, secret: secrets }, now);

describe('verifyWebhook of the TypeScript client', () => {
  it('returns the event of a signed request', async () => {
    expect(await verify(headersOf())).toEqual({ id: 'event-1', ...event });
    expect(await verify(headersOf(), Buffer.from(body))).toEqual({ id: 'event-1', ...event });
  });

  it('accepts headers as an object with any case, as Headers, and as pairs', async () => {
    const headers = headersOf();
    const upperCase = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toUpperCase(), value]));
    await expect(verify(upperCase)).resolves.toMatchObject(event);
    await expect(verifyWebhook({ body, headers: new Headers(headers), secret }, now)).resolves.toMatchObject(event);
    // The Headers of another `fetch` are iterable, too.
    const pairs = new Map(Object.entries(headers));
    await expect(verifyWebhook({ body, headers: pairs, secret }, now)).resolves.toMatchObject(event);
  });

  it('accepts one of several signatures, and one of several secrets', async () => {
    for (const secrets of [
      [secret, otherSecret],
      [otherSecret, secret],
    ]) {
      await expect(verify(headersOf({ secrets }))).resolves.toMatchObject(event);
      await expect(verify(headersOf(), body, secrets)).resolves.toMatchObject(event);
    }
  });

  it.each([
    ['5 minutes old', 300 * seconds],
    ['5 minutes ahead', -300 * seconds],
  ])('accepts a request that is %s', async (_name, age) => {
    await expect(verify(headersOf({ age }))).resolves.toMatchObject(event);
  });

  it('verifies the bytes of a body with other letters than ASCII', async () => {
    const sent = JSON.stringify({ ...event, data: { externalId: 'Łódź 🏈' } });
    await expect(verify(headersOf({ sent }), sent)).resolves.toMatchObject({ data: { externalId: 'Łódź 🏈' } });
  });

  it.each<[string, Record<string, string>, string]>([
    ['a changed body', headersOf(), body.replace('club-7', 'club-8')],
    ['a changed ID', { ...headersOf(), 'webhook-id': 'event-2' }, body],
    ['a changed timestamp', { ...headersOf(), 'webhook-timestamp': String(now / seconds - 9) }, body],
    ['another secret', headersOf({ secrets: [otherSecret] }), body],
    ['an old timestamp', headersOf({ age: 302 * seconds }), body],
    ['a malformed timestamp', { ...headersOf(), 'webhook-timestamp': 'now' }, body],
    ['a malformed signature', { ...headersOf(), 'webhook-signature': 'v1' }, body],
    ['a signature of another version', { ...headersOf(), 'webhook-signature': `v2,${'A'.repeat(43)}=` }, body],
    ['no signature', { ...headersOf(), 'webhook-signature': '' }, body],
  ])('rejects %s', async (_name, headers, sent) => {
    await expect(verify(headers, sent)).rejects.toThrow(WebhookVerificationError);
  });

  it.each<[string, unknown, RegExp]>([
    ['no secrets', { secret: [] }, /^"secret" is missing/],
    ['a parsed body', { body: event }, /^"body" must be the body as received/],
  ])('names the cause of %s', async (_name, fields, message) => {
    const call = verifyWebhook({ body, headers: headersOf(), secret, ...(fields as object) }, now);
    await expect(call).rejects.toThrow(TypeError);
    await expect(call).rejects.toThrow(message);
  });

  it.each(['whsec_', 'whsec_é'])('throws a TypeError for the malformed secret "%s"', async (malformed) => {
    await expect(verify(headersOf(), body, malformed)).rejects.toThrow(TypeError);
  });
});
