import { once } from 'node:events';
import http from 'node:http';
import https from 'node:https';
import type { Socket } from 'node:net';
import { Injectable } from '@nestjs/common';
import { HttpsProxyAgent } from 'https-proxy-agent';
import ipaddr from 'ipaddr.js';
import { RequestFilteringHttpAgent, RequestFilteringHttpsAgent } from 'request-filtering-agent';
import { Webhook } from 'standardwebhooks';
import { Clock } from '../../common/clock.js';
import { Configuration } from '../../common/config/configuration.js';
import { version } from '../../common/package.js';
import type { LeasedEndpoint, NextDelivery } from './webhook-queue.repository.js';
import type { AttemptResult } from './webhook.rules.js';

const timeLimit = 15_000;
const maxResponseBytes = 16 * 1_024;

/** Closes connections on which the proxy does not respond; https-proxy-agent leaves them open. */
class ProxyAgent extends HttpsProxyAgent<string> {
  override async connect(...request: Parameters<HttpsProxyAgent<string>['connect']>): Promise<Socket> {
    const connecting = new AbortController();
    const timer = setTimeout(() => connecting.abort(), timeLimit);
    this.connectOpts = { ...this.connectOpts, signal: connecting.signal };
    return super.connect(...request).finally(() => clearTimeout(timer));
  }
}

/** Sends signed requests, by default only to public addresses over https. */
@Injectable()
export class WebhookSender {
  private readonly allowsPrivate: boolean;
  private readonly agents: { readonly http: http.Agent; readonly https: http.Agent };

  constructor(
    { webhooks: { proxyUrl, allowPrivateAddresses } }: Configuration,
    private readonly clock: Clock,
  ) {
    this.allowsPrivate = allowPrivateAddresses;
    // The agents check the address of each connection, because a name can resolve to another one at any time.
    const options = { keepAlive: true, allowPrivateIPAddress: allowPrivateAddresses };
    // A proxy resolves names itself and decides which addresses it connects to.
    const proxy = proxyUrl === undefined ? undefined : new ProxyAgent(proxyUrl, { keepAlive: true });
    this.agents = {
      http: proxy ?? new RequestFilteringHttpAgent(options),
      https: proxy ?? new RequestFilteringHttpsAgent(options),
    };
  }

  /** Returns why no request can be sent to a URL, as the end of a sentence, or undefined. */
  problemOf(url: string): string | undefined {
    const { protocol, username, password, hostname } = new URL(url);
    if (username !== '' || password !== '') return 'must not contain credentials';
    if (this.allowsPrivate) return undefined;
    if (protocol !== 'https:') return 'must be an https URL';
    const host = hostname.replace(/^\[|\]$|\.$/g, '');
    // IPv4-compatible addresses, such as ::7f00:1, are in the range of public ones.
    const isPublic = ipaddr.isValid(host)
      ? ipaddr.parse(host).range() === 'unicast' && !host.startsWith('::')
      : host.includes('.') && !host.endsWith('.localhost');
    return isPublic ? undefined : 'must have a public host';
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
    const isSecure = new URL(endpoint.url).protocol === 'https:';
    const limit = { signal: AbortSignal.timeout(timeLimit) };
    const request = (isSecure ? https : http).request(endpoint.url, {
      ...limit,
      method: 'POST',
      agent: isSecure ? this.agents.https : this.agents.http,
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

/** Returns why there is no response: a sentence or an error code. Most messages contain addresses, also of the proxy. */
function reasonOf({ code, message }: NodeJS.ErrnoException): string {
  if (code === 'ABORT_ERR') return `No response within ${timeLimit / 1_000} s`;
  if (/^DNS lookup .* is not allowed/.test(message)) return 'The address is not public';
  return (code ?? message).slice(0, 200);
}

/** Returns the pause of a `Retry-After` header, in seconds or as a date, in milliseconds. */
function retryAfterOf(header: string | undefined, now: Date): number | undefined {
  if (header === undefined) return undefined;
  const milliseconds = /^\d+$/.test(header) ? Number(header) * 1_000 : Date.parse(header) - now.getTime();
  return Number.isFinite(milliseconds) ? milliseconds : undefined;
}
