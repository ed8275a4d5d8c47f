import type { ChangeKind, DeliveryEvent } from './generated/types.gen.js';

/** A webhook event. Deduplicate by `id`, because an event can arrive more than once. */
export interface WebhookMessage {
  /** The `webhook-id`. */
  id: string;
  type: DeliveryEvent;
  timestamp: string;
  /** The record that has changed; empty for a `ping`. */
  data: {
    kind?: ChangeKind;
    id?: string;
    externalId?: string;
    teamId?: string;
    revision?: number;
    deleted?: boolean;
  };
}

/** A request that is not from the server, or too old. Respond with 400. */
export class WebhookVerificationError extends Error {
  override readonly name = 'WebhookVerificationError';
}

/** The request of a webhook, as received. */
export interface WebhookRequest {
  /** The body before parsing: the signature covers its bytes. */
  body: string | Uint8Array;
  /** `Headers` of any `fetch`, other pairs, or an object. */
  headers: Headers | Iterable<readonly [string, string]> | Record<string, string | string[] | undefined>;
  /** The secret of the endpoint; several are accepted, for a rotation. */
  secret: string | readonly string[];
}

const toleranceInSeconds = 5 * 60;
const encoder = new TextEncoder();

/**
 * Verifies the signature of a webhook, as Standard Webhooks describes, and returns its event.
 *
 * @throws TypeError if the secret is missing or malformed, or the body is already parsed.
 * @throws WebhookVerificationError if no signature matches, or the timestamp differs from the clock by over 5 minutes.
 */
export async function verifyWebhook(request: WebhookRequest, now = Date.now()): Promise<WebhookMessage> {
  const secrets = [request.secret].flat();
  if (secrets.length === 0 || secrets.some((secret) => !secret))
    throw new TypeError('"secret" is missing: is the variable set that contains the secret of the endpoint?');
  if (typeof request.body !== 'string' && !ArrayBuffer.isView(request.body))
    throw new TypeError('"body" must be the body as received, a string or bytes: verify it before it is parsed.');
  const entries = Symbol.iterator in request.headers ? [...request.headers] : Object.entries(request.headers);
  const headers = new Map(entries.map(([name, value]) => [name.toLowerCase(), String(value)]));
  const [id, timestamp, signature] = ['id', 'timestamp', 'signature'].map((name) => headers.get(`webhook-${name}`));
  if (!id || !timestamp || !signature) throw new WebhookVerificationError('A webhook header is missing.');
  // Also rejects a timestamp that is not a number.
  if (!(Math.abs(now / 1_000 - Number(timestamp)) <= toleranceInSeconds))
    throw new WebhookVerificationError('The timestamp differs from the clock by more than 5 minutes.');
  const body = typeof request.body === 'string' ? encoder.encode(request.body) : request.body;
  const signed = new Uint8Array([...encoder.encode(`${id}.${timestamp}.`), ...body]);
  const signatures = signature
    .split(' ')
    .flatMap((each) => (each.startsWith('v1,') ? (decode(each.slice(3)) ?? []) : []));
  for (const secret of secrets) {
    const key = await importKey(secret);
    for (const each of signatures)
      // Compares in constant time.
      if (await crypto.subtle.verify('HMAC', key, each, signed))
        return { id, ...(JSON.parse(new TextDecoder().decode(body)) as Omit<WebhookMessage, 'id'>) };
  }
  throw new WebhookVerificationError(
    'No signature matches. Check the secret, and verify the body before it is parsed.',
  );
}

function importKey(secret: string) {
  const bytes = decode(secret.replace(/^whsec_/, ''));
  if (!bytes?.length) throw new TypeError('"secret" must be the secret of a webhook endpoint, such as whsec_….');
  return crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify']);
}

/** Returns the bytes of a base64 text, or undefined if it is malformed. */
function decode(base64: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}
