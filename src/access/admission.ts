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
import type { ServedRequest } from '../common/http/served-request.js';
import { runWithRequestId } from '../common/logging/request-id-store.js';
import { AdmissionControl, type RefusalReason, type Visit } from '../common/overload/admission-control.js';
import { type AdmissionFigures, Metrics } from '../common/metrics/metrics.js';
import { Configuration } from '../config/configuration.js';

const mostWaiting = 512;
const longestWait = 2_000;
/** What of the bound remains while the event loop is busy: 4 of 256, which keep it as busy as more would. */
const shareWhileBusy = 1 / 64;
/** How often it is looked at who waited too long and how busy the event loop is, while anybody waits. */
const tickMilliseconds = 25;
/** Whose client went away may still be worked on, for no longer than the database is waited for. */
const longestAfterlife = 5_000;
const reportMilliseconds = 1_000;

/** The one refusal; the trace of an error for each would cost more than all the rest of it. */
const overloaded = new ServiceError(errorCatalogue.overloaded, { retryAfterSeconds: 1 });
const health = /^\/health\/(?:live|ready)\/?(?:\?|$)/i;

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
  private refusedSinceReport = 0;

  constructor(
    private readonly keys: ApiKeyAuthenticator,
    private readonly configuration: Configuration,
    private readonly metrics: Metrics,
  ) {
    const { maxRequestsInFlight: most } = configuration;
    const few = Math.ceil(most * shareWhileBusy);
    this.control = new AdmissionControl({ few, most, waiting: mostWaiting, longestWait });
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

  /** The step before Express. Health checks pass: whoever restarts servers must not mistake a full one for a dead one. */
  stepBefore(express: Express): Step {
    return (request, response, next) => {
      const served = request as ServedRequest;
      served.arrivedAt = performance.now();
      if (health.test(request.url ?? '')) next();
      else this.receive(served, response, this.callerOf(request, express), next);
    };
  }

  private receive(request: ServedRequest, response: ServerResponse, caller: string, next: () => void): void {
    const visit = this.control.visit(caller, {
      begin: () => {
        // Whoever waited may have been answered meanwhile, as one whose body turned out to be none.
        if (response.writableEnded) {
          visit.leave();
          return;
        }
        leaveWithAnswer(visit, response);
        // It may be called from within another request's turn.
        runWithRequestId(request.requestId, next);
      },
      refuse: (reason) => this.refuse(request, response, reason),
    });
    request.visit = visit;
    visit.enter();
    if (!visit.isWaiting) return;
    response.once('close', () => visit.stopWaiting());
    this.ticking ??= this.beginTicking();
  }

  /** An organization, where the key was right before in this process, else an address: nobody can use another's share. */
  private callerOf(request: IncomingMessage, express: Express): string {
    const presented = bearerCredential(request.headers.authorization);
    const organization = presented === undefined ? undefined : this.keys.recognize(presented);
    return organization ?? addressGroup(clientAddressBefore(express, request));
  }

  private refuse(request: ServedRequest, response: ServerResponse, reason: RefusalReason): void {
    this.metrics.turnedAway(reason);
    addCorsHeaders(request, response, this.configuration.corsOrigins);
    sendEnvelope(request, response, overloaded);
    this.refusedSinceReport++;
    this.reporting ??= setTimeout(() => runWithRequestId(undefined, () => this.report()), reportMilliseconds).unref();
  }

  /** Once a second at most: a line for each would be another load. */
  private report(): void {
    this.reporting = undefined;
    const details = { error: overloaded.entry.code, refused: this.refusedSinceReport, ...this.figures };
    this.refusedSinceReport = 0;
    this.logger.warn('The server is overloaded: requests were refused', details);
  }

  private beginTicking(): NodeJS.Timeout {
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

/**
 * Leaves as soon as the answer is given, whoever gives it and however long the client takes to read it. Where the client
 * goes away the work goes on: it counts until it would answer, so that nobody can pile up work by not waiting for it.
 */
function leaveWithAnswer(visit: Visit, response: ServerResponse): void {
  const end = response.end.bind(response);
  response.end = ((...rest: Parameters<typeof end>) => {
    visit.leave();
    return end(...rest);
  }) as typeof end;
  response.once('close', () => {
    if (!response.writableEnded) setTimeout(() => visit.leave(), longestAfterlife).unref();
  });
}
