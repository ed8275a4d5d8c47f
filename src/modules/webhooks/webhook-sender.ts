import { constants } from 'node:crypto';
import { once } from 'node:events';
import http from 'node:http';
import https from 'node:https';
import type { Socket } from 'node:net';
import { DEFAULT_CIPHERS } from 'node:tls';
import { Injectable } from '@nestjs/common';
import { HttpsProxyAgent } from 'https-proxy-agent';
import { Webhook } from 'standardwebhooks';
import { Clock } from '../../config/clock.js';
import { Configuration } from '../../config/configuration.js';
import { version } from '../../config/package.js';
import { deliveryTimeLimit } from '../../config/time-windows.js';
import { WebhookHosts } from './webhook-hosts.js';
import type { LeasedEndpoint, NextDelivery } from './webhook-queue.repository.js';
import type { AttemptResult } from './webhook.rules.js';

const maxResponseBytes = 16 * 1_024;
const maxInformationalResponses = 10;
/**
 * Excludes key exchanges whose cost a receiver chooses: DHE with a modulus of 10,000 bits takes the event loop 0.9 s, and
 * a renegotiation repeats the handshake as often as the receiver wants.
 */
const tlsOptions = { ciphers: `${DEFAULT_CIPHERS}:!DHE`, secureOptions: constants.SSL_OP_NO_RENEGOTIATION };
/** An endpoint with many deliveries uses its connection again much earlier. */
const idleMilliseconds = 1_000;

/** Closes idle connections, and those on which the proxy does not respond; https-proxy-agent leaves them open. */
class ProxyAgent extends HttpsProxyAgent<string> {
  constructor(url: string) {
    super(url, { keepAlive: true });
    this.options.timeout = idleMilliseconds;
  }

  override async connect(...request: Parameters<HttpsProxyAgent<string>['connect']>): Promise<Socket> {
    const connecting = new AbortController();
    const timer = setTimeout(() => connecting.abort(), deliveryTimeLimit);
    this.connectOpts = { ...this.connectOpts, signal: connecting.signal };
    return super.connect(...request).finally(() => clearTimeout(timer));
  }
}

/** Sends signed requests, by default only to public addresses over https. */
@Injectable()
export class WebhookSender {
  private readonly agents: { readonly http: http.Agent; readonly https: http.Agent };

  constructor(
    { webhooks: { proxyUrl } }: Configuration,
    private readonly hosts: WebhookHosts,
    private readonly clock: Clock,
  ) {
    // A proxy resolves names itself and decides which addresses it connects to.
    const proxy = proxyUrl === undefined ? undefined : new ProxyAgent(proxyUrl);
    // `autoSelectFamily` looks up all addresses of a name, and connects to the first that responds.
    const options = { keepAlive: true, timeout: idleMilliseconds, autoSelectFamily: true };
    this.agents = { http: proxy ?? new http.Agent(options), https: proxy ?? new https.Agent(options) };
  }

  /** Sends a delivery. Never throws: an attempt without a response has an error. */
  async send(endpoint: LeasedEndpoint, delivery: NextDelivery): Promise<AttemptResult> {
    const at = this.clock.now();
    const startedAt = performance.now();
    const { retryAfter, ...response } = await this.post(endpoint, delivery, at).then(
      ({ statusCode = 0, headers }) => ({ statusCode, retryAfter: retryAfterOf(headers['retry-after'], at) }),
      (error: unknown) => ({ error: reasonOf(error as Error), retryAfter: undefined }),
    );
    return { attempt: { at, ...response, durationMs: Math.round(performance.now() - startedAt) }, retryAfter };
  }

  private async post(endpoint: LeasedEndpoint, { _id, body }: NextDelivery, at: Date): Promise<http.IncomingMessage> {
    this.hosts.assertReachable(endpoint.url);
    const isSecure = new URL(endpoint.url).protocol === 'https:';
    const limit = { signal: AbortSignal.timeout(deliveryTimeLimit) };
    const request = (isSecure ? https : http).request(endpoint.url, {
      ...limit,
      ...(isSecure && tlsOptions),
      method: 'POST',
      agent: isSecure ? this.agents.https : this.agents.http,
      lookup: this.hosts.lookupFor(String(endpoint.organizationId)),
      headers: {
        'Content-Type': 'application/json',
        'Content-Length': Buffer.byteLength(body),
        'User-Agent': `flag-football-webhooks/${version}`,
        'webhook-id': String(_id),
        'webhook-timestamp': Math.floor(at.getTime() / 1_000),
        'webhook-signature': signaturesOf(endpoint, String(_id), body, at),
      },
    });
    // `once` needs the limit, too: a 101 response closes the request without an event.
    const responded = once(request, 'response', limit) as Promise<[http.IncomingMessage]>;
    let informational = 0;
    request.on('information', () => {
      if (++informational > maxInformationalResponses) request.destroy(new Error('Too many informational responses'));
    });
    // Once there is a response, its status counts, even if the connection then breaks.
    request.on('error', () => undefined).end(body);
    const [response] = await responded;
    await readStart(response).catch(() => undefined);
    return response;
  }
}

/** Reads a response, so that its connection can be used again, but closes a long one. */
async function readStart(response: http.IncomingMessage): Promise<void> {
  let received = 0;
  for await (const chunk of response) {
    received += (chunk as Buffer).length;
    if (received > maxResponseBytes) break;
  }
}

/** Signs with the secret and, for a day after a rotation, with the previous one. */
function signaturesOf({ secret, previousSecret }: LeasedEndpoint, id: string, body: string, at: Date): string {
  const previous = previousSecret !== undefined && previousSecret.expiresAt > at ? [previousSecret.secret] : [];
  return [secret, ...previous].map((each) => new Webhook(each).sign(id, at, body)).join(' ');
}

/** Returns why there is no response: a sentence or an error code. Most messages contain addresses, even of the proxy. */
function reasonOf({ code, message }: NodeJS.ErrnoException): string {
  if (code === 'ABORT_ERR') return `No response within ${deliveryTimeLimit / 1_000} s`;
  return (code ?? message).slice(0, 200);
}

/** Returns the pause of a `Retry-After` header, in seconds or as a date, in milliseconds. */
function retryAfterOf(header: string | undefined, now: Date): number | undefined {
  if (header === undefined) return undefined;
  const milliseconds = /^\d+$/.test(header) ? Number(header) * 1_000 : Date.parse(header) - now.getTime();
  return Number.isFinite(milliseconds) ? milliseconds : undefined;
}
