import { Injectable } from '@nestjs/common';
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from '@prometheus-io/client';
import { type PublicController, publicControllers } from '../access/public-api.js';
import { errorCatalogue } from '../errors/error-catalogue.js';
import { build } from '../config/package.js';

/** In seconds. Most requests take a few milliseconds; the deadline is 4.5 s. */
const requestBuckets = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];
const databaseBuckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];

/**
 * Outcomes of an API key check. `remembered`: the record was cached. `read`: the record was read from the database.
 * `first`: argon2 ran, because this process had not seen the secret. `refused`: the key is invalid. `failed`: the
 * key could not be checked, because the database was unavailable or too many first checks were waiting.
 */
const keyCheckOutcomes = ['remembered', 'read', 'first', 'refused', 'failed'] as const;
export type KeyCheckOutcome = (typeof keyCheckOutcomes)[number];

/**
 * Outcomes of a create with a used idem-key. `replayed`: the first response was sent again. `refused`: the body was
 * different (42201). `busy`: the first request was in progress, or the key expired meanwhile (40902).
 */
const repeatOutcomes = ['replayed', 'refused', 'busy'] as const;

/** Outcomes of an attempt to deliver a webhook. `retried`: it failed, and another attempt follows. */
const webhookOutcomes = ['succeeded', 'retried', 'failed'] as const;

/** Why a request was rejected: the queue is full, the caller's share of the queue is full, or it waited too long. */
const rejectionReasons = ['full', 'share', 'late'] as const;
export type RejectionReason = (typeof rejectionReasons)[number];

/** Gauges of other components, which register a function that is called for each scrape. */
const gauges = {
  ffapi_ready: '1 while the server is ready for requests.',
  ffapi_requests_in_service:
    'Requests that hold a slot of a concurrency limiter, with or without a valid key or token.',
  ffapi_requests_in_service_limit: 'Maximum number of requests with a valid key or token that run at once.',
  ffapi_requests_waiting: 'Requests in the queue of the concurrency limiter.',
  ffapi_key_changes_followed: '1 while the change stream of API keys is current, so that keys are cached.',
  ffapi_clock_ahead_seconds: "Seconds by which this machine's clock is ahead of the database's; negative if behind.",
  ffapi_change_feed_lag_seconds: 'Seconds by which the change feed is behind the database.',
  ffapi_database_connected: '1 while connected to the database.',
  ffapi_database_pool_connections: 'Open connections to the database.',
  ffapi_database_pool_in_use: 'Connections in use.',
  ffapi_database_pool_waiting: 'Operations waiting for a connection.',
  ffapi_webhook_oldest_pending_seconds: 'Seconds that an endpoint with due webhooks has waited for a server, at most.',
  ffapi_webhook_endpoints_disabled: 'Webhook endpoints that were disabled because they failed or responded 410.',
  ffapi_redis_configured: '1 if REDIS_URL is set.',
  ffapi_redis_answering: '1 while Redis responds.',
};
interface RequestLabels {
  readonly route: string;
  readonly method: string;
  readonly status: string;
}

type Reading = number | boolean;
type Readings = { [Name in keyof typeof gauges]?: () => Reading | Promise<Reading> };

/** All metrics of `/metrics`. Labels are bounded: route patterns instead of paths, no IDs, addresses or names. */
@Injectable()
export class Metrics {
  readonly registry = new Registry();
  private readonly registers = [this.registry];
  requestsInFlight = 0;

  private readonly requests = new Counter({
    name: 'ffapi_http_requests_total',
    help: 'Requests that got a response or that the client aborted.',
    labelNames: ['route', 'method', 'status'],
    registers: this.registers,
  });
  private readonly requestDurations = new Histogram({
    name: 'ffapi_http_request_duration_seconds',
    help: 'Time from the request headers to the end of the response.',
    labelNames: ['route', 'method'],
    buckets: requestBuckets,
    registers: this.registers,
  });
  private readonly countError = this.counterBy('error', errorCodes(), {
    name: 'ffapi_refusals_total',
    help: 'Error responses by service code.',
  });
  /** Counts input that is not an HTTP request, or is incomplete after the time limit. */
  readonly countMalformedRequest = this.counter({
    name: 'ffapi_malformed_requests_total',
    help: 'Input that could not be parsed as an HTTP request; not counted as requests.',
  });
  readonly countKeyCheck = this.counterBy('outcome', keyCheckOutcomes, {
    name: 'ffapi_key_checks_total',
    help: 'API key checks by outcome: remembered, read, first, refused, failed.',
  });
  readonly countRateLimited = this.counterBy<PublicController>('controller', publicControllers, {
    name: 'ffapi_rate_limited_total',
    help: 'Requests over the rate limit of their API key and controller.',
  });
  readonly countAuthenticationLimited = this.counter({
    name: 'ffapi_authentications_limited_total',
    help: 'Failed authentications from addresses over the limit.',
  });
  readonly countLoginLimited = this.counter({
    name: 'ffapi_logins_limited_total',
    help: 'Logins rejected after too many failed ones.',
  });
  readonly countRejection = this.counterBy('reason', rejectionReasons, {
    name: 'ffapi_requests_turned_away_total',
    help: 'Requests rejected for overload by reason: full, share, late.',
  });
  readonly countIdempotencyRepeat = this.counterBy('outcome', repeatOutcomes, {
    name: 'ffapi_idempotency_repeats_total',
    help: 'Creates with a used idem-key by outcome: replayed, refused, busy.',
  });
  readonly countWebhookAttempt = this.counterBy('outcome', webhookOutcomes, {
    name: 'ffapi_webhook_attempts_total',
    help: 'Attempts to deliver webhooks by outcome: succeeded, retried, failed.',
  });
  private readonly operationDurations = new Histogram({
    name: 'ffapi_database_operation_duration_seconds',
    help: 'Duration of database operations, including the wait for a connection.',
    labelNames: ['operation'],
    buckets: databaseBuckets,
    registers: this.registers,
  });
  private readonly operationFailures = new Counter({
    name: 'ffapi_database_operation_failures_total',
    help: 'Failed database operations.',
    labelNames: ['operation'],
    registers: this.registers,
  });
  readonly countCheckoutFailure = this.counter({
    name: 'ffapi_database_pool_checkout_failures_total',
    help: 'Operations that got no connection from the pool.',
  });
  readonly countRedisOutage = this.counter({
    name: 'ffapi_redis_outages_total',
    help: 'Outages of Redis.',
  });

  constructor() {
    this.gauge('ffapi_http_requests_in_flight', 'Requests without a complete response.', () => this.requestsInFlight);
    const buildInfo = new Gauge({
      name: 'ffapi_build_info',
      help: 'Version and commit of the server, and version of Node.',
      labelNames: ['version', 'commit', 'node'],
      registers: this.registers,
    });
    buildInfo.set({ ...build, node: process.version }, 1);
  }

  /** Registers gauges of another component; `true` becomes 1. */
  registerGauges(readings: Readings): void {
    for (const [name, read] of Object.entries(readings)) this.gauge(name, gauges[name as keyof typeof gauges], read);
  }

  registerDroppedLines(read: () => number): void {
    new Counter({
      name: 'ffapi_log_lines_dropped_total',
      help: 'Log lines dropped because standard output was not read fast enough.',
      registers: this.registers,
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

  /** Records a completed or aborted request, and the service code of an error response. */
  recordRequest({ status, ...labels }: RequestLabels, seconds: number, errorCode: number | undefined): void {
    this.requests.inc({ ...labels, status });
    this.requestDurations.observe(labels, seconds);
    if (errorCode !== undefined) this.countError(String(errorCode));
  }

  recordDatabaseOperation(operation: string, seconds: number, failed: boolean): void {
    this.operationDurations.observe({ operation }, seconds);
    // Creates the series before the first failure, so that `rate()` sees it.
    this.operationFailures.inc({ operation }, failed ? 1 : 0);
  }

  /** A value that cannot be read is NaN, so that the other metrics are still returned. */
  private gauge(name: string, help: string, read: () => Reading | Promise<Reading>): void {
    new Gauge({
      name,
      help,
      registers: this.registers,
      async collect() {
        this.set(await Promise.resolve(read()).then(Number, () => Number.NaN));
      },
    });
  }

  private counter(options: { name: string; help: string }): () => void {
    const counter = new Counter({ ...options, registers: this.registers });
    return () => counter.inc();
  }

  /** Returns a function that counts by one label. All values start at 0, so that `rate()` sees the first event. */
  private counterBy<Value extends string>(
    label: string,
    values: readonly Value[],
    options: { name: string; help: string },
  ): (value: Value) => void {
    const counter = new Counter({ ...options, labelNames: [label], registers: this.registers });
    for (const value of values) counter.inc({ [label]: value }, 0);
    return (value) => counter.inc({ [label]: value });
  }
}

function errorCodes(): string[] {
  return Object.values(errorCatalogue).map(({ code }) => String(code));
}
