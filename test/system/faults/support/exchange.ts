import http from 'node:http';
import https from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';

/** Kind of a request, as figures and violations name it. */
export type Purpose =
  | 'list of teams'
  | 'list of schedules'
  | 'upcoming schedules'
  | 'one schedule'
  | 'new team'
  | 'new player'
  | 'new schedule'
  | 'change of a schedule'
  | 'deletion of a schedule';

/** One request and its outcome. */
export interface Exchange {
  readonly purpose: Purpose;
  /** Time of sending, by `performance.now()`. */
  readonly sentAt: number;
  /** Milliseconds until the complete response, or until it was clear that there is none. */
  readonly milliseconds: number;
  /** Undefined without a complete response. */
  readonly status: number | undefined;
  /** Why there is no complete response. */
  readonly cut?: string;
  readonly headers: http.IncomingHttpHeaders;
  readonly text: string;
}

/** A request to be sent. */
export interface Sending {
  readonly purpose: Purpose;
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** Path without the public prefix. */
  readonly path: string;
  readonly body?: object;
  readonly idemKey?: string;
}

const prefix = '/v1/public-api';
/** Longer than any response may take. */
const patienceMilliseconds = 15_000;
/** Maximum number of attempts while the response is 503. */
const mostAttempts = 5;
const envelopeFields = ['error', 'message', 'timestamp', 'traceId'];

/** A client that keeps its connections and sends each request to the next of its addresses. */
export class PartnerClient {
  private readonly plain = new http.Agent({ keepAlive: true });
  /** The certificate of the proxy is self-signed. */
  private readonly secure = new https.Agent({ keepAlive: true, rejectUnauthorized: false });
  private turn = 0;

  /** @param bases the addresses of the servers, or only that of the proxy */
  constructor(
    private readonly bases: readonly string[],
    private readonly apiKey: string,
  ) {}

  /** Sends a request once. Never rejects, because a missing response is an outcome, too. */
  send({ purpose, method, path, body, idemKey }: Sending): Promise<Exchange> {
    const base = this.bases[this.turn++ % this.bases.length] ?? '';
    const payload = body === undefined ? undefined : JSON.stringify(body);
    const headers = {
      Authorization: `Bearer ${this.apiKey}`,
      ...(payload !== undefined && {
        'Content-Type': 'application/json',
        'Content-Length': Buffer.byteLength(payload),
      }),
      ...(idemKey !== undefined && { 'idem-key': idemKey }),
    };
    const sentAt = performance.now();
    return new Promise((resolve) => {
      const done = (outcome: Pick<Exchange, 'status' | 'headers' | 'text' | 'cut'>) =>
        resolve({ purpose, sentAt, milliseconds: performance.now() - sentAt, ...outcome });
      const fail = (error: Error) => done({ status: undefined, headers: {}, text: '', cut: error.message });
      const isSecure = base.startsWith('https:');
      const options = { method, headers, agent: isSecure ? this.secure : this.plain };
      const request = (isSecure ? https : http).request(`${base}${prefix}${path}`, options, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.once('error', fail);
        response.once('end', () =>
          done({ status: response.statusCode, headers: response.headers, text: Buffer.concat(chunks).toString() }),
        );
      });
      request.once('error', fail);
      request.setTimeout(patienceMilliseconds, () => request.destroy(new Error('no answer')));
      request.end(payload);
    });
  }

  /** Retries a request after Retry-After while the response is 503, because a busy machine may reject some. */
  async sendUntilServed(sending: Sending): Promise<Exchange> {
    for (let attempt = 1; ; attempt++) {
      const answer = await this.send(sending);
      if (answer.status !== 503 || attempt === mostAttempts) return answer;
      await sleep(Number(answer.headers['retry-after']) * 1_000);
    }
  }

  /** Closes its connections. */
  close(): void {
    this.plain.destroy();
    this.secure.destroy();
  }
}

/** Returns the problem of an error response: no envelope, or a 503 without Retry-After; undefined if there is none. */
export function faultOfForm({ status, headers, text }: Exchange): string | undefined {
  if (status === undefined || status < 400) return undefined;
  if (!(headers['content-type'] ?? '').startsWith('application/json')) return 'is no JSON';
  const body = parsed(text);
  if (body === undefined || envelopeFields.some((field) => !(field in body))) return 'is no envelope';
  if (Math.floor(Number(body['error']) / 100) !== status) return 'has a code that is not its status';
  if (body['traceId'] !== headers['x-request-id']) return 'has a traceId that is not its request id';
  if (status === 503 && !/^[1-9]\d*$/.test(headers['retry-after'] ?? '')) return 'has no Retry-After';
  return undefined;
}

/** Parses a body; returns undefined unless it is a JSON object. */
export function parsed(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
