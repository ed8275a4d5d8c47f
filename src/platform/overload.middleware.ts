import { Injectable, Logger, type NestMiddleware } from '@nestjs/common';
import type { NextFunction, Response } from 'express';
import { ApiKeyAuthenticator } from '../modules/api-keys/api-key-authenticator.js';
import { TokensService } from '../modules/auth/tokens.service.js';
import { errorCatalogue } from '../common/errors/error-catalogue.js';
import { sendEnvelope } from '../common/errors/envelope.js';
import { ServiceError } from '../common/errors/service-error.js';
import { addressGroup, clientAddress } from '../common/http/client-address.js';
import { parseBearerToken, isHealthCheck, type ApiRequest } from '../common/http/api-request.js';
import { Metrics, type RejectionReason } from '../common/metrics/metrics.js';
import { Configuration } from '../common/config/configuration.js';
import { ConcurrencyLimiter, type Place } from './concurrency-limiter.js';

/** How long a place is held at most for a client that has gone away, as work for it goes on; the database takes no longer. */
const abandonedMilliseconds = 5_000;
const abandonedCheckMilliseconds = 50;
const reportMilliseconds = 1_000;

/** Bounds of memory, for each kind of callers. */
const rooms = { queued: 2_048, receiving: 1_024 };

/** Shared by all rejections: a stack trace for each would cost more than the rest of it. */
const overloaded = new ServiceError(errorCatalogue.overloaded, { retryAfterSeconds: 1 });

/**
 * Limits how many requests are served at once, before anything that costs. Callers with a valid key or token, callers
 * without one, and health checks have a limiter each, so that no crowd of one kind takes the places of another. Access is
 * decided later, by the guards.
 */
@Injectable()
export class OverloadMiddleware implements NestMiddleware<ApiRequest, Response> {
  private readonly logger = new Logger('Overload');
  private readonly authenticated: ConcurrencyLimiter;
  private readonly anonymous: ConcurrencyLimiter;
  private readonly health = new ConcurrencyLimiter({ running: 16, runningPerCaller: 4, ...rooms });
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
    this.authenticated = new ConcurrencyLimiter({ running, runningPerCaller, ...rooms });
    const share = Math.ceil(running / 8);
    this.anonymous = new ConcurrencyLimiter({ running: share, runningPerCaller: Math.ceil(share / 8), ...rooms });
    metrics.registerGauges({
      ffapi_requests_in_service: () => this.figures.inService,
      ffapi_requests_in_service_limit: () => this.figures.limit,
      ffapi_requests_waiting: () => this.figures.waiting,
    });
  }

  private get figures() {
    const { authenticated, anonymous } = this;
    return {
      inService: authenticated.runningCount + anonymous.runningCount,
      limit: this.configuration.maxRequestsInFlight,
      waiting: authenticated.queuedCount + anonymous.queuedCount,
    };
  }

  /** Waits for a place; without one, responds 503. */
  readonly use = (request: ApiRequest, response: Response, next: NextFunction): void => {
    const place = this.placeOf(request);
    const acquire = async (): Promise<RejectionReason | undefined> => {
      const rejection = await place.acquire();
      request.waitedMilliseconds = place.waitedMilliseconds;
      if (rejection !== undefined && !isOver(response)) this.countRejection(place.caller, rejection);
      return rejection;
    };
    request.overload = {
      pause: () => {
        if (place.pause()) return;
        this.countRejection(place.caller, 'full');
        throw overloaded;
      },
      resume: async () => {
        if ((await acquire()) !== undefined) throw overloaded;
      },
    };
    response.once('close', () => releaseWhenDone(response, place));
    void acquire().then((rejection) => {
      if (rejection === undefined) next();
      else if (!isOver(response)) sendEnvelope(request, response, overloaded);
    });
  };

  /** By organization or user where the credential is valid, or was a moment ago, else by network. */
  private placeOf(request: ApiRequest): Place {
    const address = () => addressGroup(clientAddress(request));
    if (isHealthCheck(request.url)) return this.health.place(address());
    const credential = parseBearerToken(request.headers.authorization);
    const caller = credential && (this.keys.recognize(credential) ?? this.tokens.recognize(credential));
    return caller === undefined ? this.anonymous.place(address()) : this.authenticated.place(caller);
  }

  private countRejection(caller: string, reason: RejectionReason): void {
    this.metrics.countRejection(reason);
    this.rejections.set(caller, (this.rejections.get(caller) ?? 0) + 1);
    this.report ??= setTimeout(() => this.logRejections(), reportMilliseconds).unref();
  }

  /** Logs once a second at most: a line for each rejection would add to the load. */
  private logRejections(): void {
    this.report = undefined;
    const counts = [...this.rejections].map(([caller, refused]) => ({ caller, refused }));
    this.rejections.clear();
    const refused = counts.reduce((sum, count) => sum + count.refused, 0);
    const most = counts.reduce((one, other) => (other.refused > one.refused ? other : one));
    const details = { error: overloaded.entry.code, refused, most, ...this.figures };
    this.logger.warn('The server is overloaded: requests were rejected', details);
  }
}

/** True where no response can be sent any more: it was sent, or the client has gone away. */
function isOver(response: Response): boolean {
  return response.headersSent || response.writableEnded || response.destroyed;
}

/** Frees the place once the work ends, also for a client that has gone away: aborted requests must not pile up work. */
function releaseWhenDone(response: Response, place: Place): void {
  if (!place.isRunning || response.writableEnded) {
    place.release();
    return;
  }
  const abandonedAt = performance.now();
  const timer = setInterval(() => {
    if (!response.writableEnded && performance.now() - abandonedAt < abandonedMilliseconds) return;
    clearInterval(timer);
    place.release();
  }, abandonedCheckMilliseconds).unref();
}
