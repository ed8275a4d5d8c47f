import type { IncomingMessage, ServerResponse } from 'node:http';
import { Injectable } from '@nestjs/common';
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from '@prometheus-io/client';
import { type RateLimitGroup, rateLimitGroups } from '../access/public-api.js';
import { errorCatalogue } from '../errors/error-catalogue.js';
import type { ApiRequest } from '../http/api-request.js';
import { routePattern } from '../http/request-head.js';
import { build } from '../config/package.js';

/** Methods with their own label value; all others are counted as `other`. */
const methods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);
/** Route label of requests with an unknown path or method, and of those rejected before routing. */
const unknownRoute = 'unknown';
const errorCodes = Object.values(errorCatalogue).map(({ code }) => String(code));

/** In seconds. Most requests take a few milliseconds; the deadline is 4.5 s. */
const requestBuckets = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];
const databaseBuckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];

/** Outcomes of an API key authentication. `hash_verified`: argon2 ran, because this process had not seen the secret. */
const keyOutcomes = ['cache_hit', 'database_read', 'hash_verified', 'invalid', 'error'] as const;
export type AuthenticationOutcome = (typeof keyOutcomes)[number];

/** Outcomes of a create with a used idem-key: the first response was sent again, 42201, or 40902. */
const replayOutcomes = ['replayed', 'body_mismatch', 'in_progress'] as const;

/** Outcomes of an attempt to deliver a webhook. `failed_retrying`: another attempt follows. */
const webhookOutcomes = ['succeeded', 'failed_retrying', 'failed'] as const;

/** Why a request was rejected for overload. `caller_limit`: the caller's share of the queue is full. */
const rejectionReasons = ['queue_full', 'caller_limit', 'queue_timeout'] as const;
export type RejectionReason = (typeof rejectionReasons)[number];

/** Gauges, and their help texts. Other components register a function for each of theirs, which is called on each scrape. */
const gauges = {
  ffapi_ready: '1 while the server is ready for requests.',
  ffapi_build_info: 'Version and commit of the server, and version of Node.',
  ffapi_http_requests_in_flight: 'Requests without a complete response.',
  ffapi_limiter_running: 'Requests that hold a slot of the concurrency limiter, by pool: authenticated, anonymous.',
  ffapi_limiter_limit: 'Maximum number of requests that run concurrently, by pool.',
  ffapi_limiter_queued: 'Requests that wait for a slot or receive a body, by pool.',
  ffapi_change_stream_up: '1 while the change stream is current, so that keys are cached.',
  ffapi_clock_offset_seconds: "Seconds by which this machine's clock is ahead of the database's; negative if behind.",
  ffapi_change_feed_lag_seconds: 'Seconds by which the change feed is behind the database.',
  ffapi_database_connected: '1 while connected to the database.',
  ffapi_database_pool_connections: 'Open connections to the database.',
  ffapi_database_pool_in_use: 'Connections in use.',
  ffapi_database_pool_waiting: 'Operations waiting for a connection.',
  ffapi_webhook_queue_age_seconds: 'Seconds that an endpoint with due webhooks has waited for a server, at most.',
  ffapi_webhook_endpoints_disabled: 'Webhook endpoints that were disabled because they failed or responded 410.',
  ffapi_redis_configured: '1 if REDIS_URL is set.',
  ffapi_redis_up: '1 while Redis responds.',
};

/** Counters and histograms, and their help texts. */
const counters = {
  ffapi_http_requests_total: 'Requests that got a response or that the client aborted.',
  ffapi_http_request_duration_seconds: 'Time from the request headers to the end of the response.',
  ffapi_error_responses_total: 'Error responses by service code.',
  ffapi_malformed_requests_total: 'Input that could not be parsed as an HTTP request; not counted as requests.',
  ffapi_api_key_authentications_total:
    'API key authentications: cache_hit, database_read, hash_verified (argon2 ran), invalid, error (not decided).',
  ffapi_rate_limited_total: 'Responses 429 by limit: requests (of a key, by resource), authentications, logins.',
  ffapi_requests_shed_total: `Requests rejected for overload by reason: ${rejectionReasons.join(', ')} (3 s).`,
  ffapi_idempotent_replays_total: `Creates with a used idem-key by outcome: ${replayOutcomes.join(', ')}.`,
  ffapi_webhook_attempts_total: `Attempts to deliver webhooks by outcome: ${webhookOutcomes.join(', ')} (no further attempt).`,
  ffapi_database_operation_duration_seconds: 'Duration of database operations, including the wait for a connection.',
  ffapi_database_operation_failures_total: 'Failed database operations, without duplicates and transaction conflicts.',
  ffapi_database_pool_checkout_failures_total: 'Operations that got no connection from the pool.',
  ffapi_redis_outages_total: 'Outages of Redis.',
  ffapi_log_lines_dropped_total: 'Log lines dropped because they were rejected or not read fast enough.',
};

/** A value, or values by pool. */
type Reading = number | boolean | Readonly<Record<string, number>>;
type Readings = { [Name in keyof typeof gauges]?: () => Reading | Promise<Reading> };

/** All metrics of `/metrics`. Labels are bounded: route patterns instead of paths, no IDs, addresses or names. */
@Injectable()
export class Metrics {
  readonly registry = new Registry();
  private requestsInFlight = 0;

  private readonly requests = this.counter('ffapi_http_requests_total', 'route', 'method', 'status');
  private readonly requestDurations = new Histogram({
    ...this.options('ffapi_http_request_duration_seconds'),
    labelNames: ['route', 'method'],
    buckets: requestBuckets,
  });
  private readonly countError = this.counterBy('ffapi_error_responses_total', 'code', errorCodes);
  /** Input that is not an HTTP request, or is incomplete after the time limit. */
  readonly malformedRequests = this.counter('ffapi_malformed_requests_total');
  readonly countAuthentication = this.counterBy('ffapi_api_key_authentications_total', 'outcome', keyOutcomes);
  private readonly rateLimited = this.counter('ffapi_rate_limited_total', 'limit', 'resource');
  readonly countRejection = this.counterBy('ffapi_requests_shed_total', 'reason', rejectionReasons);
  readonly countReplay = this.counterBy('ffapi_idempotent_replays_total', 'outcome', replayOutcomes);
  readonly countWebhookAttempt = this.counterBy('ffapi_webhook_attempts_total', 'outcome', webhookOutcomes);
  private readonly operationDurations = new Histogram({
    ...this.options('ffapi_database_operation_duration_seconds'),
    labelNames: ['operation'],
    buckets: databaseBuckets,
  });
  private readonly operationFailures = this.counter('ffapi_database_operation_failures_total', 'operation');
  readonly checkoutFailures = this.counter('ffapi_database_pool_checkout_failures_total');
  readonly redisOutages = this.counter('ffapi_redis_outages_total');

  constructor() {
    this.registerGauges({ ffapi_http_requests_in_flight: () => this.requestsInFlight });
    const buildInfo = new Gauge({ ...this.options('ffapi_build_info'), labelNames: ['version', 'commit', 'node'] });
    buildInfo.set({ ...build, node: process.version }, 1);
    for (const resource of rateLimitGroups) this.rateLimited.inc({ limit: 'requests', resource }, 0);
    for (const limit of ['authentications', 'logins']) this.rateLimited.inc({ limit }, 0);
  }

  /** Registers gauges; `true` becomes 1. A value that cannot be read is NaN, so that the other metrics are still returned. */
  registerGauges(readings: Readings): void {
    for (const [name, read] of Object.entries(readings)) {
      new Gauge({
        ...this.options(name as keyof Readings),
        labelNames: ['pool'],
        async collect() {
          const reading = await Promise.resolve(read()).catch(() => Number.NaN);
          if (typeof reading !== 'object') this.set(Number(reading));
          else for (const [pool, value] of Object.entries(reading)) this.set({ pool }, value);
        },
      });
    }
  }

  registerDroppedLines(read: () => number): void {
    new Counter({
      ...this.options('ffapi_log_lines_dropped_total'),
      collect() {
        this.reset();
        this.inc(read());
      },
    });
  }

  /** Starts to measure the process: memory, CPU, garbage collection and event loop delay. */
  measureProcess(): void {
    collectDefaultMetrics({ register: this.registry });
  }

  /**
   * Creates the middleware that counts and times requests by route pattern.
   * @param onKeyRequest called after each request with a valid API key
   * @param onFailure called after each request that got an error
   */
  measureRequests(
    onKeyRequest: (key: NonNullable<ApiRequest['knownKey']>, status: number, request: ApiRequest) => void,
    onFailure: (request: ApiRequest) => void,
  ) {
    return (request: IncomingMessage, response: ServerResponse, next: () => void): void => {
      const { arrivedAt } = request as ApiRequest;
      this.requestsInFlight++;
      response.once('close', () => {
        this.requestsInFlight--;
        const { knownKey, errorCode } = request as ApiRequest;
        const route = routePattern(request as ApiRequest) ?? unknownRoute;
        const method = methods.has(request.method ?? '') ? (request.method ?? '') : 'other';
        const status = response.writableFinished ? String(response.statusCode) : 'aborted';
        this.requests.inc({ route, method, status });
        this.requestDurations.observe({ route, method }, (performance.now() - arrivedAt) / 1_000);
        if (errorCode !== undefined) {
          this.countError(String(errorCode));
          onFailure(request as ApiRequest);
        }
        if (knownKey) onKeyRequest(knownKey, response.statusCode, request as ApiRequest);
      });
      next();
    };
  }

  countRateLimited(limit: 'requests' | 'authentications' | 'logins', resource?: RateLimitGroup): void {
    this.rateLimited.inc({ limit, ...(resource && { resource }) });
  }

  recordDatabaseOperation(operation: string, seconds: number, failed: boolean): void {
    this.operationDurations.observe({ operation }, seconds);
    // Creates the series before the first failure, so that `rate()` sees it.
    this.operationFailures.inc({ operation }, failed ? 1 : 0);
  }

  private options(name: keyof typeof gauges | keyof typeof counters) {
    return { name, help: { ...gauges, ...counters }[name], registers: [this.registry] };
  }

  private counter<Label extends string>(name: keyof typeof counters, ...labelNames: Label[]): Counter<Label> {
    return new Counter({ ...this.options(name), labelNames });
  }

  /** Returns a function that counts by one label. All values start at 0, so that `rate()` sees the first event. */
  private counterBy<Value extends string>(name: keyof typeof counters, label: string, values: readonly Value[]) {
    const counter = this.counter(name, label);
    for (const value of values) counter.inc({ [label]: value }, 0);
    return (value: Value) => counter.inc({ [label]: value });
  }
}
