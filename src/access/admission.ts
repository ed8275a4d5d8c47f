import { performance } from 'node:perf_hooks';
import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Express } from 'express';
import { ApiKeyAuthenticator } from '../api-keys/api-key-authenticator.js';
import { sendEnvelope } from '../common/errors/envelope.js';
import { errorCatalogue } from '../common/errors/error-catalogue.js';
import { ServiceError } from '../common/errors/service-error.js';
import type { Step } from '../common/http/before-express.js';
import { addCorsHeaders } from '../common/http/cors.js';
import { bearerCredential } from '../common/http/bearer.js';
import { addressGroup, clientAddressBefore } from '../common/http/client-address.js';
import { isHealthCheck } from '../common/http/health-check.js';
import { onceGiven } from '../common/http/once-given.js';
import type { ServedRequest } from '../common/http/served-request.js';
import { AdmissionControl, type RefusalReason, type Visit } from '../common/overload/admission-control.js';
import { FewEach } from '../common/overload/few-each.js';
import { type AdmissionFigures, Metrics } from '../common/metrics/metrics.js';
import { Configuration } from '../config/configuration.js';

/** Only guards memory: how long one may wait is what decides. One caller alone may have half of them. */
const mostWaiting = 2_048;
/** Bodies on their way, of up to 100 kB each; one caller alone may have half of them. */
const mostOutside = 1_024;
/** Health checks of one address that are let in beside all others; nobody who watches a server asks more at once. */
const healthChecksEach = 4;
/** What of the bound remains while the event loop is busy: 8 of 256, which keep it as busy as more would, and share a write of the journal. */
const shareWhileBusy = 1 / 32;
/** How often it is looked at who waited too long and how busy the event loop is, while anybody waits. */
const tickMilliseconds = 25;
/** Whose client went away may still be worked on, for no longer than the database is waited for. */
const longestAfterlife = 5_000;
const reportMilliseconds = 1_000;

/** The one refusal; the trace of an error for each would cost more than all the rest of it. */
const overloaded = new ServiceError(errorCatalogue.overloaded, { retryAfterSeconds: 1 });

/**
 * Stands before everything that costs: lets only so many requests into service at once, the others wait, in turns by
 * caller, or are refused. It decides nothing of what a caller may do.
 */
@Injectable()
export class Admission implements OnApplicationShutdown {
  private readonly logger = new Logger('Admission');
  private readonly control: AdmissionControl;
  private ticking: NodeJS.Timeout | undefined;
  private reporting: NodeJS.Timeout | undefined;
  private readonly healthChecks = new FewEach(healthChecksEach);
  /** How many of each caller were refused since the last report. */
  private readonly refused = new Map<string, number>();

  constructor(
    private readonly keys: ApiKeyAuthenticator,
    private readonly configuration: Configuration,
    private readonly metrics: Metrics,
  ) {
    const { maxRequestsInFlight: most } = configuration;
    const few = Math.ceil(most * shareWhileBusy);
    this.control = new AdmissionControl({ few, most, waiting: mostWaiting, outside: mostOutside });
    metrics.read({ admission: () => this.figures });
  }

  private get figures(): AdmissionFigures {
    const { inService, inServiceLimit: limit, waiting } = this.control;
    return { inService, limit, waiting };
  }

  onApplicationShutdown(): void {
    clearInterval(this.ticking);
    clearTimeout(this.reporting);
  }

  /**
   * The step before Express. A few health checks pass: whoever restarts servers must not mistake a full one for a dead one.
   * More of them at once are a crowd like any other.
   */
  stepBefore(express: Express): Step {
    return (request, response, next) => {
      const served = request as ServedRequest;
      const endCheck = isHealthCheck(request.url ?? '')
        ? this.healthChecks.take(addressOf(request, express))
        : undefined;
      if (endCheck === undefined) {
        this.receive(served, response, this.callerOf(request, express), next);
      } else {
        onceAnswered(response, endCheck);
        next();
      }
    };
  }

  private receive(request: ServedRequest, response: ServerResponse, caller: string, next: () => void): void {
    const visit = this.control.visit(caller, {
      begin: () => {
        request.waitedMilliseconds = performance.now() - request.arrivedAt;
        next();
      },
      refuse: (reason) => this.refuse(request, response, caller, reason),
    });
    request.visit = {
      stepOut: () => visit.stepOut(),
      stepBack: () => this.stepBack(visit, request, response, caller),
    };
    // From the door on: one that waits may be answered, too, as one whose body turns out to be none.
    onceAnswered(response, () => visit.leave());
    response.once('close', () => visit.stopWaiting());
    visit.enter();
    if (visit.isWaiting) this.beginTicking();
  }

  private async stepBack(
    visit: Visit,
    request: ServedRequest,
    response: ServerResponse,
    caller: string,
  ): Promise<void> {
    const begun = performance.now();
    const back = visit.stepBack();
    if (visit.isWaiting) this.beginTicking();
    const isIn = await back;
    request.waitedMilliseconds = (request.waitedMilliseconds ?? 0) + performance.now() - begun;
    if (isIn) return;
    if (!isOver(response)) this.count(caller, 'late');
    throw overloaded;
  }

  /** An organization, where the key was right before in this process, else an address: nobody can use another's share. */
  private callerOf(request: IncomingMessage, express: Express): string {
    const presented = bearerCredential(request.headers.authorization);
    const organization = presented === undefined ? undefined : this.keys.recognize(presented);
    return organization ?? addressOf(request, express);
  }

  /** Runs in nobody's turn: what it threw would end the process. */
  private refuse(request: ServedRequest, response: ServerResponse, caller: string, reason: RefusalReason): void {
    if (isOver(response)) return;
    try {
      this.count(caller, reason);
      addCorsHeaders(request, response, this.configuration.corsOrigins);
      sendEnvelope(request, response, overloaded);
    } catch (error) {
      const { requestId } = request;
      this.logger.error('A request could not be refused', { requestId }, error);
      response.destroy();
    }
  }

  private count(caller: string, reason: RefusalReason): void {
    this.metrics.turnedAway(reason);
    this.refused.set(caller, (this.refused.get(caller) ?? 0) + 1);
    this.reporting ??= setTimeout(() => this.report(), reportMilliseconds).unref();
  }

  /** Once a second at most: a line for each would be another load. */
  private report(): void {
    this.reporting = undefined;
    let refused = 0;
    let most: { caller: string; refused: number } | undefined;
    for (const [caller, of] of this.refused) {
      refused += of;
      if (most === undefined || of > most.refused) most = { caller, refused: of };
    }
    this.refused.clear();
    const details = { error: overloaded.entry.code, refused, most, ...this.figures };
    this.logger.warn('The server is overloaded: requests were refused', details);
  }

  private beginTicking(): void {
    this.ticking ??= this.tick();
  }

  private tick(): NodeJS.Timeout {
    let last = performance.eventLoopUtilization();
    return setInterval(() => {
      const now = performance.eventLoopUtilization();
      this.control.tick(performance.eventLoopUtilization(now, last).utilization);
      last = now;
      if (this.control.waiting > 0) return;
      clearInterval(this.ticking);
      this.ticking = undefined;
    }, tickMilliseconds);
  }
}

function addressOf(request: IncomingMessage, express: Express): string {
  return addressGroup(clientAddressBefore(express, request));
}

/** True where nothing more can be answered: it is, or the client has gone. */
function isOver(response: ServerResponse): boolean {
  return response.headersSent || response.writableEnded || response.destroyed;
}

/**
 * Tells as soon as the answer is given. Where the client goes away the work goes on: it counts until it would answer, so that
 * nobody can pile up work by not waiting for it.
 */
function onceAnswered(response: ServerResponse, tell: () => void): void {
  onceGiven(response, tell);
  response.once('close', () => {
    if (response.writableEnded) tell();
    else setTimeout(tell, longestAfterlife).unref();
  });
}
