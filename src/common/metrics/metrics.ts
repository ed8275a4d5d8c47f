import { Injectable } from '@nestjs/common';
import { collectDefaultMetrics, type Counter, type Histogram, Registry } from 'prom-client';
import { type PublicController, publicControllers } from '../context/access.decorators.js';
import { errorCatalogue } from '../errors/error-catalogue.js';
import { version } from '../version.js';
import { Instruments, remembered } from './instruments.js';

/** The methods that are told apart; every other one counts as `other`. */
const methods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);
/** The route of a request whose path, or method, this server does not know, or that was refused before anybody looked. */
const unknownRoute = 'unknown';

/** Seconds. An answer is promised within 5; most take a few milliseconds. */
const answerBuckets = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];
const databaseBuckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];

/**
 * How the check of a presented API key ended. `remembered`: its record was at hand. `read`: its record was read from the
 * database. `first`: its secret, too, was seen for the first time in this process, so argon2 ran. `refused`: it is no
 * good. `failed`: it could not be judged, as the database was away or too many first checks waited.
 */
export const keyCheckOutcomes = ['remembered', 'read', 'first', 'refused', 'failed'] as const;
export type KeyCheckOutcome = (typeof keyCheckOutcomes)[number];

/**
 * What became of a create whose idem-key had made a record before. `replayed`: it got the first answer. `refused`: it came
 * with another body (42201). `busy`: the key's 24 hours ended meanwhile (40902).
 */
export const repeatOutcomes = ['replayed', 'refused', 'busy'] as const;
export type RepeatOutcome = (typeof repeatOutcomes)[number];

/** An answer that is out. */
export interface AnsweredRequest {
  readonly method: string;
  /** The pattern of the route; undefined where none matched. */
  readonly route: string | undefined;
  /** `aborted` where the client went before the answer was out. */
  readonly status: number | 'aborted';
  readonly seconds: number;
  /** The service code of a refusal. */
  readonly error: number | undefined;
}

/** The database's connections that requests share, at this moment. */
export interface PoolFigures {
  readonly connections: number;
  readonly inUse: number;
  readonly waiting: number;
}

/** Why a request gets no place: all waiting places are taken, its caller's share of them is, or it waited too long. */
const rejectionReasons = ['full', 'share', 'late'] as const;
export type RejectionReason = (typeof rejectionReasons)[number];

/** The requests that are served, and those that wait until they may be, at this moment. */
export interface AdmissionFigures {
  readonly inService: number;
  /** How many may be served at once. */
  readonly limit: number;
  readonly waiting: number;
}

/** Figures that others hold, and that are asked for when somebody looks at them. */
export interface Readings {
  ready: () => Promise<boolean>;
  keyChangesFollowed: () => boolean;
  databaseConnected: () => boolean;
  databasePool: () => PoolFigures;
  redis: () => Promise<'none' | 'answering' | 'away'>;
  admission: () => AdmissionFigures;
  /** How far this machine's clock is ahead of the database's; undefined before the first measurement. */
  clockAheadSeconds: () => number | undefined;
  droppedLines: () => number;
}

interface RouteSeries {
  readonly answers: Counter.Internal;
  readonly duration: Histogram.Internal<'route' | 'method'>;
}

/**
 * Every figure that this process shows at `/metrics`, declared here and nowhere else, in a registry of its own. All labels
 * are bounded: patterns of routes, never paths; no ids, addresses or names of anybody.
 */
@Injectable()
export class Metrics {
  readonly registry = new Registry();
  private readonly make = new Instruments(this.registry);
  private readonly readings: Partial<Readings> = {};
  private readonly routes = new Map<string, RouteSeries>();
  private inFlight = 0;

  private readonly answers = this.make.counter(
    { name: 'ffapi_http_requests_total', help: 'Requests that were answered, or aborted by their clients.' },
    ['route', 'method', 'status'],
  );
  private readonly durations = this.make.histogram(
    { name: 'ffapi_http_request_duration_seconds', help: 'From the head of a request to the end of its answer.' },
    ['route', 'method'],
    answerBuckets,
  );
  private readonly refused = this.make.countBy<string>(
    'error',
    { name: 'ffapi_refusals_total', help: 'Refused requests, by the service code of the error.' },
    Object.values(errorCatalogue).map(({ code }) => String(code)),
  );
  /** Something came that is no HTTP request, or not whole in time, and was refused by itself. */
  readonly malformedRequest = this.make.count({
    name: 'ffapi_malformed_requests_total',
    help: 'What came and could not be read as a request; it is not among the requests.',
  });

  /** The check of a presented API key ended. */
  readonly keyChecked = this.make.countBy<KeyCheckOutcome>(
    'outcome',
    { name: 'ffapi_key_checks_total', help: 'Checks of presented API keys: remembered, read, first, refused, failed.' },
    keyCheckOutcomes,
  );
  /** A request went over the rate limit of its key and controller. */
  readonly rateLimited = this.make.countBy<PublicController>(
    'controller',
    { name: 'ffapi_rate_limited_total', help: 'Requests over the rate limit of their key and controller.' },
    publicControllers,
  );
  /** A failed authentication came from an address that had too many. */
  readonly authenticationLimited = this.make.count({
    name: 'ffapi_authentications_limited_total',
    help: 'Failed authentications from addresses that had too many of them.',
  });
  /** An attempt to log in was refused, as too many had failed. */
  readonly loginLimited = this.make.count({
    name: 'ffapi_logins_limited_total',
    help: 'Attempts to log in that were refused because too many had failed.',
  });
  /** A request was not let into service, as the server had enough to do. */
  readonly turnedAway = this.make.countBy<RejectionReason>(
    'reason',
    { name: 'ffapi_requests_turned_away_total', help: 'Requests that were not let into service: full, share, late.' },
    rejectionReasons,
  );
  /** A create came whose idem-key had made a record before. */
  readonly createRepeated = this.make.countBy<RepeatOutcome>(
    'outcome',
    { name: 'ffapi_idempotency_repeats_total', help: 'Creates with a used idem-key: replayed, refused, busy.' },
    repeatOutcomes,
  );

  private readonly operations = this.make.histogram(
    {
      name: 'ffapi_database_operation_duration_seconds',
      help: 'Operations of the database as their callers wait for them, with the wait for a connection.',
    },
    ['operation'],
    databaseBuckets,
  );
  private readonly operationFailures = this.make.counter(
    { name: 'ffapi_database_operation_failures_total', help: 'Operations of the database that failed.' },
    ['operation'],
  );
  private readonly operationSeries = remembered((operation) => {
    const failures = this.operationFailures.labels(operation);
    // A rate needs a figure before the first failure.
    failures.inc(0);
    return { durations: this.operations.labels(operation), failures };
  });
  /** No connection could be had from the pool. */
  readonly connectionRefused = this.make.count({
    name: 'ffapi_database_pool_checkout_failures_total',
    help: 'Operations that got no connection from the pool, in time or at all.',
  });
  /** Redis stopped answering; told once an outage. */
  readonly redisOutageBegan = this.make.count({
    name: 'ffapi_redis_outages_total',
    help: 'Times that Redis stopped answering.',
  });

  constructor() {
    const { make, readings } = this;
    const pool = (figure: keyof PoolFigures) => () => readings.databasePool?.()[figure] ?? 0;
    const admission = (figure: keyof AdmissionFigures) => () => readings.admission?.()[figure] ?? 0;
    const redis = async () => (await readings.redis?.()) ?? 'none';
    make.gauge(
      { name: 'ffapi_http_requests_in_flight', help: 'Requests whose answers are not out.' },
      () => this.inFlight,
    );
    make.gauge({ name: 'ffapi_requests_in_service', help: 'Requests that are served.' }, admission('inService'));
    make.gauge(
      { name: 'ffapi_requests_in_service_limit', help: 'How many requests may be served at once.' },
      admission('limit'),
    );
    make.gauge(
      { name: 'ffapi_requests_waiting', help: 'Requests that wait until they may be served.' },
      admission('waiting'),
    );
    make.gauge(
      { name: 'ffapi_clock_ahead_seconds', help: "How far this machine's clock is ahead of the database's." },
      () => readings.clockAheadSeconds?.() ?? Number.NaN,
    );
    make.total(
      { name: 'ffapi_log_lines_dropped_total', help: 'Lines of the log that were dropped, as nobody read them.' },
      () => readings.droppedLines?.() ?? 0,
    );
    make.gauge(
      { name: 'ffapi_ready', help: '1 while the server may be sent requests.' },
      () => readings.ready?.() ?? false,
    );
    make.gauge(
      {
        name: 'ffapi_key_changes_followed',
        help: '1 while changes of keys are followed, so that keys are remembered.',
      },
      () => readings.keyChangesFollowed?.() ?? false,
    );
    make.gauge(
      { name: 'ffapi_database_connected', help: '1 while there is a connection to the database.' },
      () => readings.databaseConnected?.() ?? false,
    );
    make.gauge({ name: 'ffapi_database_pool_connections', help: 'Connections to the database.' }, pool('connections'));
    make.gauge({ name: 'ffapi_database_pool_in_use', help: 'Connections that are in use.' }, pool('inUse'));
    make.gauge(
      { name: 'ffapi_database_pool_waiting', help: 'Operations that wait for a connection.' },
      pool('waiting'),
    );
    make.gauge(
      { name: 'ffapi_redis_configured', help: '1 where limits are to be counted in Redis.' },
      async () => (await redis()) !== 'none',
    );
    make.gauge(
      { name: 'ffapi_redis_answering', help: '1 while Redis answers.' },
      async () => (await redis()) === 'answering',
    );
    make.constant(
      { name: 'ffapi_build_info', help: 'The version that runs, of the server and of Node.' },
      { version, node: process.version },
    );
  }

  /** Has figures asked for from here on that somebody else holds. */
  read(readings: Partial<Readings>): void {
    Object.assign(this.readings, readings);
  }

  /** Begins to measure the process itself: memory, CPU, garbage collection, the delay of the event loop. */
  measureProcess(): void {
    collectDefaultMetrics({ register: this.registry });
  }

  /** A request arrived. */
  requestBegan(): void {
    this.inFlight++;
  }

  /** A request is over. */
  requestEnded({ method, route = unknownRoute, status, seconds, error }: AnsweredRequest): void {
    this.inFlight--;
    const { answers, duration } = this.seriesOf(route, methods.has(method) ? method : 'other', String(status));
    answers.inc();
    duration.observe(seconds);
    if (error !== undefined) this.refused(String(error));
  }

  /** An operation of the database is over. */
  databaseOperationEnded(operation: string, seconds: number, failed: boolean): void {
    const { durations, failures } = this.operationSeries(operation);
    durations.observe(seconds);
    if (failed) failures.inc();
  }

  private seriesOf(route: string, method: string, status: string): RouteSeries {
    const name = `${method} ${status} ${route}`;
    const known = this.routes.get(name);
    if (known !== undefined) return known;
    const series = {
      answers: this.answers.labels({ route, method, status }),
      duration: this.durations.labels({ route, method }),
    };
    this.routes.set(name, series);
    return series;
  }
}
