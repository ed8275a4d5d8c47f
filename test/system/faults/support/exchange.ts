import http from 'node:http';
import https from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';

/** What a request was for, as the figures and the complaints name it. */
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

/** One request, and what became of it. */
export interface Exchange {
  readonly purpose: Purpose;
  /** When it was sent, in milliseconds of `performance.now()`. */
  readonly sentAt: number;
  /** Until the whole answer was there, or it was clear that none comes. */
  readonly milliseconds: number;
  /** Undefined where no whole answer came. */
  readonly status: number | undefined;
  /** Why no whole answer came. */
  readonly cut?: string;
  readonly headers: http.IncomingHttpHeaders;
  readonly text: string;
}

/** A request to be sent. */
export interface Sending {
  readonly purpose: Purpose;
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** Below the public prefix. */
  readonly path: string;
  readonly body?: object;
  readonly idemKey?: string;
}

const prefix = '/v1/public-api';
/** Longer than any answer may take: who waits so long was forgotten. */
const patienceMilliseconds = 15_000;
/** How often a request is sent at most while it is answered 503. */
const mostAttempts = 5;
const envelopeFields = ['error', 'message', 'timestamp', 'traceId'];

/** A partner's client: keeps its connections, and sends each request to the next of its addresses. */
export class PartnerClient {
  private readonly plain = new http.Agent({ keepAlive: true });
  /** The proxy's certificate is of its own making. */
  private readonly secure = new https.Agent({ keepAlive: true, rejectUnauthorized: false });
  private turn = 0;

  /** @param bases the addresses of the servers, or of the proxy alone */
  constructor(
    private readonly bases: readonly string[],
    private readonly apiKey: string,
  ) {}

  /** Sends a request once. Never rejects: that no answer came is an outcome too. */
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

  /** Sends a request again while it is answered 503, as a busy machine may refuse some: after as long as Retry-After says. */
  async sendUntilServed(sending: Sending): Promise<Exchange> {
    for (let attempt = 1; ; attempt++) {
      const answer = await this.send(sending);
      if (answer.status !== 503 || attempt === mostAttempts) return answer;
      await sleep(Number(answer.headers['retry-after']) * 1_000);
    }
  }

  /** Gives its connections up. */
  close(): void {
    this.plain.destroy();
    this.secure.destroy();
  }
}

/** What is wrong with a refusal's form: no envelope, or a 503 without Retry-After; undefined where nothing is. */
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

/** A body that is a JSON object, or undefined. */
export function parsed(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
