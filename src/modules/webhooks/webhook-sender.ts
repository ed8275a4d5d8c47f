import http from 'node:http';
import https from 'node:https';
import { Injectable } from '@nestjs/common';
import { HttpsProxyAgent } from 'https-proxy-agent';
import { RequestFilteringHttpAgent, RequestFilteringHttpsAgent } from 'request-filtering-agent';
import { Webhook } from 'standardwebhooks';
import { Clock } from '../../common/clock.js';
import { Configuration } from '../../common/config/configuration.js';
import { version } from '../../common/package.js';
import type { DueDelivery, LeasedEndpoint } from './webhook-queue.repository.js';
import type { AttemptResult } from './webhook.rules.js';

const timeLimit = 15_000;
const maxResponseBytes = 16 * 1_024;

/** Sends signed requests, only to public addresses. */
@Injectable()
export class WebhookSender {
  private readonly agents: { readonly http: http.Agent; readonly https: http.Agent };

  constructor(
    { webhooks }: Configuration,
    private readonly clock: Clock,
  ) {
    const { proxyUrl, allowPrivateAddresses } = webhooks;
    const options = { keepAlive: true, allowPrivateIPAddress: allowPrivateAddresses };
    // A proxy resolves the names and decides which addresses it reaches.
    const proxy = proxyUrl === undefined ? undefined : new HttpsProxyAgent(proxyUrl);
    this.agents = proxy
      ? { http: proxy, https: proxy }
      : { http: new RequestFilteringHttpAgent(options), https: new RequestFilteringHttpsAgent(options) };
  }

  /** Sends a delivery. Never throws: an attempt without a response has an error. */
  async send(endpoint: LeasedEndpoint, delivery: DueDelivery): Promise<AttemptResult> {
    const at = this.clock.now();
    const startedAt = performance.now();
    const durationMs = () => Math.round(performance.now() - startedAt);
    try {
      const { retryAfter, statusCode } = await this.post(endpoint, delivery, at);
      return { attempt: { at, statusCode, durationMs: durationMs() }, retryAfter };
    } catch (error) {
      return { attempt: { at, error: (error as Error).message.slice(0, 200), durationMs: durationMs() } };
    }
  }

  private post({ url, ...secrets }: LeasedEndpoint, { _id, body }: DueDelivery, at: Date) {
    const id = String(_id);
    const isSecure = url.startsWith('https:');
    return new Promise<{ statusCode: number; retryAfter: number | undefined }>((resolve, reject) => {
      const request = (isSecure ? https : http).request(url, {
        method: 'POST',
        agent: isSecure ? this.agents.https : this.agents.http,
        signal: AbortSignal.timeout(timeLimit),
        headers: {
          'Content-Type': 'application/json',
          'Content-Length': Buffer.byteLength(body),
          'User-Agent': `flag-football-webhooks/${version}`,
          'webhook-id': id,
          'webhook-timestamp': Math.floor(at.getTime() / 1_000),
          'webhook-signature': signaturesOf(secrets, id, body, at),
        },
      });
      request.on('error', reject);
      request.on('response', (response) => {
        const { statusCode = 0, headers } = response;
        let received = 0;
        response.on('data', (chunk: Buffer) => {
          received += chunk.length;
          if (received > maxResponseBytes) response.destroy();
        });
        // The status is known, so that an incomplete body changes nothing.
        response.on('error', () => undefined);
        response.on('close', () => resolve({ statusCode, retryAfter: retryAfterOf(headers['retry-after'], at) }));
      });
      request.end(body);
    });
  }
}

/** Signs with the secret and, for a day after a rotation, with the previous one. */
function signaturesOf(
  { secret, previousSecret }: Pick<LeasedEndpoint, 'secret' | 'previousSecret'>,
  id: string,
  body: string,
  at: Date,
): string {
  const previous = previousSecret !== undefined && previousSecret.expiresAt > at ? [previousSecret.secret] : [];
  return [secret, ...previous].map((each) => new Webhook(each).sign(id, at, body)).join(' ');
}

/** Returns the pause of a `Retry-After` header, in seconds or as a date, in milliseconds. */
function retryAfterOf(header: string | undefined, now: Date): number | undefined {
  if (header === undefined) return undefined;
  const milliseconds = /^\d+$/.test(header) ? Number(header) * 1_000 : Date.parse(header) - now.getTime();
  return Number.isFinite(milliseconds) ? Math.max(0, milliseconds) : undefined;
}
