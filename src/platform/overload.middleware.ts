import { Injectable, Logger, type NestMiddleware } from '@nestjs/common';
import type { NextFunction, Response } from 'express';
import { ApiKeyAuthenticator } from '../modules/api-keys/api-key-authenticator.js';
import { TokensService } from '../modules/auth/tokens.service.js';
import { errorCatalogue } from '../common/errors/error-catalogue.js';
import { sendEnvelope } from '../common/errors/envelope.js';
import { ServiceError } from '../common/errors/service-error.js';
import { addressGroup, clientAddress } from '../common/http/client-address.js';
import { parseBearerToken, isHealthCheck, type ApiRequest } from '../common/http/api-request.js';
import { Metrics } from '../common/metrics/metrics.js';
import { Configuration } from '../common/config/configuration.js';
import { ConcurrencyLimiter, type Slot } from './concurrency-limiter.js';

/** How long a slot stays taken after the client disconnected: the work goes on, and no operation takes longer. */
const abandonedMilliseconds = 5_000;
const abandonedCheckMilliseconds = 50;
/** Minimum interval between log lines about overload. */
const reportMilliseconds = 1_000;

/** Memory limits of each limiter. */
const memoryLimits = { queued: 2_048, receiving: 1_024 };

/** Shared by all rejections, as creating stack traces would be the most expensive part. */
const overloaded = new ServiceError(errorCatalogue.overloaded);

/**
 * Limits concurrent requests before any expensive work. Authenticated callers, anonymous callers and health checks have
 * separate limiters, so that a flood of one kind does not use up the slots of another. Guards check access later.
 */
@Injectable()
export class OverloadMiddleware implements NestMiddleware<ApiRequest, Response> {
  private readonly logger = new Logger('Overload');
  private readonly authenticated: ConcurrencyLimiter;
  private readonly anonymous: ConcurrencyLimiter;
  private readonly health = new ConcurrencyLimiter({ running: 16, runningPerCaller: 4, ...memoryLimits });
  private readonly rejections = new Map<string, number>();
  private report: NodeJS.Timeout | undefined;

  constructor(
    private readonly keys: ApiKeyAuthenticator,
    private readonly tokens: TokensService,
    private readonly configuration: Configuration,
    private readonly metrics: Metrics,
  ) {
    const running = configuration.maxRequestsInFlight;
    const runningPerCaller = Math.ceil(running / 16);
    this.authenticated = new ConcurrencyLimiter({ running, runningPerCaller, ...memoryLimits });
    const share = Math.ceil(running / 8);
    this.anonymous = new ConcurrencyLimiter({
      running: share,
      runningPerCaller: Math.ceil(share / 8),
      ...memoryLimits,
    });
    metrics.registerGauges({
      ffapi_requests_in_service: () => this.counts.inService,
      ffapi_requests_in_service_limit: () => this.counts.limit,
      ffapi_requests_waiting: () => this.counts.waiting,
    });
  }

  private get counts() {
    const { authenticated, anonymous } = this;
    return {
      inService: authenticated.runningCount + anonymous.runningCount,
      limit: this.configuration.maxRequestsInFlight,
      waiting: authenticated.queuedCount + anonymous.queuedCount,
    };
  }

  /** Waits for a slot, and responds 503 if there is none. */
  readonly use = (request: ApiRequest, response: Response, next: NextFunction): void => {
    const slot = this.createSlotFor(request);
    const acquire = async (): Promise<'started' | 'rejected' | 'gone'> => {
      const rejection = await slot.acquire();
      request.waitedMilliseconds = slot.waitedMilliseconds;
      if (rejection === undefined) return 'started';
      if (cannotRespond(response)) return 'gone';
      this.metrics.countRejection(rejection);
      return 'rejected';
    };
    // The error filter counts the errors that are thrown here for the log.
    request.overload = {
      pause: () => {
        if (slot.pause()) return;
        this.metrics.countRejection('full');
        throw overloaded;
      },
      resume: async () => {
        if ((await acquire()) !== 'started') throw overloaded;
      },
      countRejection: () => this.countRejection(slot.caller),
    };
    response.once('close', () => releaseWhenDone(response, slot));
    void acquire().then((outcome) => {
      if (outcome === 'started') next();
      else if (outcome === 'rejected') {
        this.countRejection(slot.caller);
        sendEnvelope(request, response, overloaded);
      }
    });
  };

  /** Creates a slot by organization or user if the credential is known to be valid, else by network. */
  private createSlotFor(request: ApiRequest): Slot {
    const address = () => addressGroup(clientAddress(request));
    if (isHealthCheck(request.url)) return this.health.createSlot(address());
    const credential = parseBearerToken(request.headers.authorization);
    const caller = credential && (this.keys.peekCaller(credential) ?? this.tokens.peekCaller(credential));
    return caller === undefined ? this.anonymous.createSlot(address()) : this.authenticated.createSlot(caller);
  }

  private countRejection(caller: string): void {
    this.rejections.set(caller, (this.rejections.get(caller) ?? 0) + 1);
    this.report ??= setTimeout(() => this.logRejections(), reportMilliseconds).unref();
  }

  /** Logs at most once per second, as a line for each rejection would add to the load. */
  private logRejections(): void {
    this.report = undefined;
    const byCaller = [...this.rejections].map(([caller, refused]) => ({ caller, refused }));
    this.rejections.clear();
    const refused = byCaller.reduce((sum, count) => sum + count.refused, 0);
    const most = byCaller.reduce((one, other) => (other.refused > one.refused ? other : one));
    const details = { error: overloaded.entry.code, refused, most, ...this.counts };
    this.logger.warn('The server is overloaded: requests were rejected', details);
  }
}

/** Returns true if a response was already sent, or the client has disconnected. */
function cannotRespond(response: Response): boolean {
  return response.headersSent || response.writableEnded || response.destroyed;
}

/** Frees the slot when the work ends, also after a disconnect, so that aborted requests cannot pile up. */
function releaseWhenDone(response: Response, slot: Slot): void {
  if (!slot.isRunning || response.writableEnded) {
    slot.release();
    return;
  }
  const abandonedAt = performance.now();
  const timer = setInterval(() => {
    if (!response.writableEnded && performance.now() - abandonedAt < abandonedMilliseconds) return;
    clearInterval(timer);
    slot.release();
  }, abandonedCheckMilliseconds).unref();
}
