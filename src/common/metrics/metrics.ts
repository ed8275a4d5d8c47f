import type { IncomingMessage, ServerResponse } from 'node:http';
import { Global, Injectable, Module } from '@nestjs/common';
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import { type PublicController, publicControllers } from '../http/public-api.js';
import { errorCatalogue } from '../errors/error-catalogue.js';
import { routePattern, type ServedRequest } from '../http/served-request.js';
import { version } from '../package.js';

/** The methods that appear as labels; every other one counts as `other`. */
const methods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);
/** The route of a request whose path or method is unknown, or that was rejected before it was routed. */
const unknownRoute = 'unknown';

/** In seconds. Every request is answered within 5 s; most take a few milliseconds. */
const requestBuckets = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];
const databaseBuckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];

/**
 * How the check of an API key ended. `remembered`: its record was cached. `read`: its record was read from the database. `first`: its
 * secret was also new to this process, so argon2 ran. `refused`: it is invalid. `failed`: it could not be checked, because the
 * database was unreachable or too many first checks were waiting.
 */
export const keyCheckOutcomes = ['remembered', 'read', 'first', 'refused', 'failed'] as const;
export type KeyCheckOutcome = (typeof keyCheckOutcomes)[number];

/**
 * How a create with a used idem-key ended. `replayed`: with the first response. `refused`: it had another body (42201). `busy`: the
 * key's 24 hours ended meanwhile (40902).
 */
export const repeatOutcomes = ['replayed', 'refused', 'busy'] as const;

/** Why a request was not served: the queue is full, its caller's share of the queue is full, or it waited too long. */
const rejectionReasons = ['full', 'share', 'late'] as const;
export type RejectionReason = (typeof rejectionReasons)[number];

/** The figures that other components own: each registers a function that is called whenever the metrics are read. */
const gauges = {
  ffapi_ready: '1 while the server may be sent requests.',
  ffapi_requests_in_service: 'Requests that are served.',
  ffapi_requests_in_service_limit: 'How many requests may be served at once.',
  ffapi_requests_waiting: 'Requests that wait until they may be served.',
  ffapi_key_changes_followed: '1 while changes of keys are followed, so that keys are remembered.',
  ffapi_clock_ahead_seconds: "How far this machine's clock is ahead of the database's.",
  ffapi_database_connected: '1 while there is a connection to the database.',
  ffapi_database_pool_connections: 'Connections to the database.',
  ffapi_database_pool_in_use: 'Connections that are in use.',
  ffapi_database_pool_waiting: 'Operations that wait for a connection.',
  ffapi_redis_configured: '1 where limits are to be counted in Redis.',
  ffapi_redis_answering: '1 while Redis answers.',
};
type Reading = number | boolean;
type Readings = { [Name in keyof typeof gauges]?: () => Reading | Promise<Reading> };

/**
 * Every figure of `/metrics`, declared in this file and nowhere else. All labels are bounded: patterns of routes, never paths; no
 * ids, addresses or names.
 */
@Injectable()
export class Metrics {
  readonly registry = new Registry();
  private readonly registers = [this.registry];
  private inFlight = 0;

  private readonly requests = new Counter({
    name: 'ffapi_http_requests_total',
    help: 'Requests that were answered, or aborted by their clients.',
    labelNames: ['route', 'method', 'status'],
    registers: this.registers,
  });
  private readonly requestDurations = new Histogram({
    name: 'ffapi_http_request_duration_seconds',
    help: 'From the head of a request to the end of its answer.',
    labelNames: ['route', 'method'],
    buckets: requestBuckets,
    registers: this.registers,
  });
  private readonly countError = this.counterBy('error', errorCodes(), {
    name: 'ffapi_refusals_total',
    help: 'Refused requests, by the service code of the error.',
  });
  /** Counts input that is not an HTTP request, or was incomplete when its time was over. */
  readonly malformedRequest = this.counter({
    name: 'ffapi_malformed_requests_total',
    help: 'What came and could not be read as a request; it is not among the requests.',
  });
  readonly keyChecked = this.counterBy('outcome', keyCheckOutcomes, {
    name: 'ffapi_key_checks_total',
    help: 'Checks of presented API keys: remembered, read, first, refused, failed.',
  });
  readonly rateLimited = this.counterBy<PublicController>('controller', publicControllers, {
    name: 'ffapi_rate_limited_total',
    help: 'Requests over the rate limit of their key and controller.',
  });
  readonly authenticationLimited = this.counter({
    name: 'ffapi_authentications_limited_total',
    help: 'Failed authentications from addresses that had too many of them.',
  });
  readonly loginLimited = this.counter({
    name: 'ffapi_logins_limited_total',
    help: 'Attempts to log in that were refused because too many had failed.',
  });
  readonly turnedAway = this.counterBy('reason', rejectionReasons, {
    name: 'ffapi_requests_turned_away_total',
    help: 'Requests that were not let into service: full, share, late.',
  });
  readonly createRepeated = this.counterBy('outcome', repeatOutcomes, {
    name: 'ffapi_idempotency_repeats_total',
    help: 'Creates with a used idem-key: replayed, refused, busy.',
  });
  private readonly operationDurations = new Histogram({
    name: 'ffapi_database_operation_duration_seconds',
    help: 'Operations of the database as their callers wait for them, with the wait for a connection.',
    labelNames: ['operation'],
    buckets: databaseBuckets,
    registers: this.registers,
  });
  private readonly operationFailures = new Counter({
    name: 'ffapi_database_operation_failures_total',
    help: 'Operations of the database that failed.',
    labelNames: ['operation'],
    registers: this.registers,
  });
  /** Counts operations that the connection pool gave no connection. */
  readonly connectionRefused = this.counter({
    name: 'ffapi_database_pool_checkout_failures_total',
    help: 'Operations that got no connection from the pool, in time or at all.',
  });
  /** Counts outages of Redis, each once. */
  readonly redisOutageBegan = this.counter({
    name: 'ffapi_redis_outages_total',
    help: 'Times that Redis stopped answering.',
  });

  constructor() {
    this.gauge('ffapi_http_requests_in_flight', 'Requests whose answers are not out.', () => this.inFlight);
    const buildInfo = new Gauge({
      name: 'ffapi_build_info',
      help: 'The version that runs, of the server and of Node.',
      labelNames: ['version', 'node'],
      registers: this.registers,
    });
    buildInfo.set({ version, node: process.version }, 1);
  }

  /** Registers gauges of another component; `true` is shown as 1. */
  registerGauges(readings: Readings): void {
    for (const [name, read] of Object.entries(readings)) this.gauge(name, gauges[name as keyof typeof gauges], read);
  }

  /** Registers the count of dropped log lines, which the log output keeps. */
  registerDroppedLines(read: () => number): void {
    new Counter({
      name: 'ffapi_log_lines_dropped_total',
      help: 'Lines of the log that were dropped, as nobody read them.',
      registers: this.registers,
      collect() {
        this.reset();
        this.inc(read());
      },
    });
  }

  /** Begins to measure the process itself: memory, CPU, garbage collection, the delay of the event loop. */
  measureProcess(): void {
    collectDefaultMetrics({ register: this.registry });
  }

  /** Middleware that counts and times every request by the pattern of its route, and notes when it arrived. */
  readonly measureRequest = (request: IncomingMessage, response: ServerResponse, next: () => void): void => {
    const served = request as ServedRequest;
    served.arrivedAt = performance.now();
    this.inFlight++;
    response.once('close', () => {
      this.inFlight--;
      const route = routePattern(served) ?? unknownRoute;
      const method = methods.has(request.method ?? '') ? (request.method ?? '') : 'other';
      const status = response.writableFinished ? String(response.statusCode) : 'aborted';
      this.requests.inc({ route, method, status });
      this.requestDurations.observe({ route, method }, (performance.now() - served.arrivedAt) / 1_000);
      if (served.refusal !== undefined) this.countError(String(served.refusal));
    });
    next();
  };

  /** Counts and times an operation of the database that has ended. */
  databaseOperationEnded(operation: string, seconds: number, failed: boolean): void {
    this.operationDurations.observe({ operation }, seconds);
    // A rate needs a figure before the first failure.
    this.operationFailures.inc({ operation }, failed ? 1 : 0);
  }

  private gauge(name: string, help: string, read: () => Reading | Promise<Reading>): void {
    new Gauge({
      name,
      help,
      registers: this.registers,
      async collect() {
        this.set(Number(await read()));
      },
    });
  }

  private counter(named: { name: string; help: string }): () => void {
    const counter = new Counter({ ...named, registers: this.registers });
    return () => counter.inc();
  }

  /** Returns a function that counts a value of one label. All values are shown from the start: a rate needs a figure before. */
  private counterBy<Value extends string>(
    label: string,
    values: readonly Value[],
    named: { name: string; help: string },
  ): (value: Value) => void {
    const counter = new Counter({ ...named, labelNames: [label], registers: this.registers });
    for (const value of values) counter.inc({ [label]: value }, 0);
    return (value) => counter.inc({ [label]: value });
  }
}

function errorCodes(): string[] {
  return Object.values(errorCatalogue).map(({ code }) => String(code));
}

/** Provides the one set of metrics of this process. */
@Global()
@Module({ providers: [Metrics], exports: [Metrics] })
export class MetricsModule {}
