import { Injectable, Logger, type NestMiddleware } from '@nestjs/common';
import type { NextFunction, Response } from 'express';
import { ApiKeyAuthenticator } from '../modules/api-keys/api-key-authenticator.js';
import { TokensService } from '../modules/auth/tokens.service.js';
import { KnownNetworks } from '../modules/users/known-networks.js';
import { sendEnvelope, ServiceError } from '../errors/service-error.js';
import { addressGroup, clientAddress, isDirect } from '../http/client-address.js';
import { OpenConnections } from '../http/open-connections.js';
import type { ApiRequest } from '../http/api-request.js';
import { parseBearerToken, isHealthCheck } from '../http/request-head.js';
import { Metrics } from '../observability/metrics.js';
import { Configuration } from '../config/configuration.js';
import { queueWait, requestEnd } from '../config/time-windows.js';
import { ConcurrencyLimiter, Slot } from '../http/concurrency-limiter.js';
import { StrangerConnections } from './stranger-connections.js';

const abandonedCheckMilliseconds = 50;
/** Minimum interval between log lines about overload. */
const reportMilliseconds = 1_000;

/** Maximum number of pending requests of strangers on one connection: Node reads them all before it accepts the next one. */
const maxStrangerPipelined = 8;
/** For how many turns of the event loop new connections come before requests of strangers. */
const maxAcceptTurns = 8;
/** Rejections per second that strangers get immediately. Others wait for a second, so that they cannot repeat faster. */
const promptRejections = 20;
const rejectionDelay = 1_000;

/** Parts of `MAX_REQUESTS_IN_FLIGHT`: for one known caller, in addition for all strangers, and of these for one address. */
const shares = { knownCaller: 1 / 16, strangers: 1 / 8, address: 1 / 8 };
/** Requests of strangers that start in one turn of the event loop, and as many from networks of admins. */
const startsPerTurn = 2;

/** Limits the memory of each limiter. Fewer strangers wait behind the turns, because their bodies can be slow. */
const waiting = 2_048;
const waitingStrangers = 1_024;

/** Shared by all rejections, as creating stack traces would be the most expensive part. */
const overloaded = new ServiceError('overloaded');

/**
 * Limits concurrent requests before any expensive work. Authenticated callers, with the networks of admins, and all others have
 * separate limiters, so that a flood of one kind does not use up the slots of the other. Guards check access later.
 */
@Injectable()
export class OverloadMiddleware implements NestMiddleware<ApiRequest, Response> {
  private readonly logger = new Logger('Overload');
  private readonly authenticated: ConcurrencyLimiter;
  private readonly anonymous: ConcurrencyLimiter;
  private readonly turns = { ofAdmins: createTurns(), ofOthers: createTurns() };
  /** Rejections of strangers in the current second. */
  private recent = { second: 0, count: 0 };
  private readonly rejections = new Map<string, number>();
  private report: NodeJS.Timeout | undefined;

  constructor(
    private readonly keys: ApiKeyAuthenticator,
    private readonly tokens: TokensService,
    configuration: Configuration,
    private readonly metrics: Metrics,
    private readonly strangers: StrangerConnections,
    private readonly connections: OpenConnections,
    private readonly networks: KnownNetworks,
  ) {
    const running = configuration.maxRequestsInFlight;
    const runningPerCaller = Math.ceil(running * shares.knownCaller);
    this.authenticated = new ConcurrencyLimiter({ running, runningPerCaller, waiting, maxWait: queueWait });
    const share = Math.ceil(running * shares.strangers);
    const ofStrangers = { running: share, runningPerCaller: Math.ceil(share * shares.address), maxWait: queueWait };
    this.anonymous = new ConcurrencyLimiter({ ...ofStrangers, waiting: waitingStrangers });
    const byPool = (count: 'runningCount' | 'waitingCount') => () => ({
      authenticated: this.authenticated[count],
      anonymous: this.anonymous[count],
    });
    metrics.registerGauges({
      ffapi_limiter_running: byPool('runningCount'),
      ffapi_limiter_limit: () => ({ authenticated: running, anonymous: share }),
      ffapi_limiter_queued: byPool('waitingCount'),
    });
  }

  /**
   * Lets known callers pass, and few requests of strangers per turn of the event loop, so that known callers and new
   * connections never wait for many of them. Comes before everything that takes time.
   */
  readonly takeTurn = (request: ApiRequest, response: Response, next: NextFunction): void => {
    const { socket, headers } = request;
    const credential = parseBearerToken(headers.authorization);
    request.knownCaller = credential && (this.keys.peekCaller(credential) ?? this.tokens.peekCaller(credential));
    if (request.knownCaller !== undefined) this.strangers.markKnown(socket);
    // Health checks of this machine or of the proxy do not wait for those of other clients.
    if (request.knownCaller !== undefined || (isHealthCheck(request.url) && isDirect(request))) {
      next();
      return;
    }
    if (this.connections.pendingOn(socket) > maxStrangerPipelined) {
      socket.destroy();
      return;
    }
    this.strangers.add(socket);
    const network = addressGroup(clientAddress(request));
    const slot = new Slot(this.networks.has(network) ? this.turns.ofAdmins : this.turns.ofOthers, network);
    response.once('close', () => {
      // A started request keeps its slot until the end of the turn.
      if (!slot.isRunning) slot.release();
      if (request.integrationContext ?? request.adminContext) this.strangers.markKnown(socket);
      else this.strangers.keepPaused(socket);
    });
    void this.admit(slot, request, response, () => {
      this.endTurn(slot);
      next();
    });
  };

  /** Waits for a slot, and responds 503 if none is free. */
  readonly use = (request: ApiRequest, response: Response, next: NextFunction): void => {
    // Health checks only read cached state.
    if (isHealthCheck(request.url)) {
      next();
      return;
    }
    // By organization or user if the caller is known, else by network. A flood must not keep admins from logging in.
    const caller = request.knownCaller ?? addressGroup(clientAddress(request));
    const isKnown = request.knownCaller !== undefined || this.networks.has(caller);
    const slot = new Slot(isKnown ? this.authenticated : this.anonymous, caller, request.waitedMilliseconds);
    // The error filter counts the errors that are thrown here for the log.
    request.overload = {
      pause: () => {
        if (slot.pause()) return;
        this.metrics.countRejection('queue_full');
        throw overloaded;
      },
      resume: async () => {
        if ((await this.acquire(slot, request, response)) !== 'started') throw overloaded;
      },
      countRejection: () => this.countRejection(request, slot.caller),
      reject: (send) => {
        slot.release();
        this.delay(send);
      },
    };
    response.once('close', () => releaseWhenDone(response, slot));
    void this.admit(slot, request, response, next);
  };

  /** Frees the place of a request when no connection waits to be accepted: Node accepts one per turn. */
  private endTurn(slot: Slot, turnsLeft = maxAcceptTurns, { accepted } = this.strangers): void {
    setImmediate(() => {
      if (turnsLeft === 0 || this.strangers.accepted === accepted) slot.release();
      else this.endTurn(slot, turnsLeft - 1);
    });
  }

  private async acquire(slot: Slot, request: ApiRequest, response: Response): Promise<'started' | 'rejected' | 'gone'> {
    const rejection = await slot.acquire();
    request.waitedMilliseconds = Math.max(request.waitedMilliseconds ?? 0, slot.waitedMilliseconds);
    if (rejection === undefined) return 'started';
    // A response was already sent, or the client has disconnected.
    if (response.headersSent || response.writableEnded || response.destroyed) return 'gone';
    this.metrics.countRejection(rejection);
    return 'rejected';
  }

  /** Calls `next` when the request has a slot, or responds 503. */
  private async admit(slot: Slot, request: ApiRequest, response: Response, next: () => void): Promise<void> {
    const outcome = await this.acquire(slot, request, response);
    if (outcome === 'started') next();
    if (outcome !== 'rejected') return;
    this.countRejection(request, slot.caller);
    const send = () => sendEnvelope(request, response, overloaded);
    if (request.knownCaller === undefined) this.delay(send);
    else send();
  }

  /** Sends a rejection to a stranger, after a second if there are many. */
  private delay(send: () => void): void {
    const second = Math.floor(performance.now() / rejectionDelay);
    if (second !== this.recent.second) this.recent = { second, count: 0 };
    if (++this.recent.count <= promptRejections) send();
    else setTimeout(send, rejectionDelay);
  }

  private countRejection(request: ApiRequest, caller: string): void {
    request.isCountedAsRejected = true;
    this.rejections.set(caller, (this.rejections.get(caller) ?? 0) + 1);
    this.report ??= setTimeout(() => this.logRejections(), reportMilliseconds).unref();
  }

  /** Logs at most once per second, as a line for each rejection would add to the load. */
  private logRejections(): void {
    this.report = undefined;
    const byCaller = [...this.rejections].map(([caller, rejected]) => ({ caller, rejected }));
    this.rejections.clear();
    const rejected = byCaller.reduce((sum, count) => sum + count.rejected, 0);
    const topCaller = byCaller.reduce((one, other) => (other.rejected > one.rejected ? other : one));
    const details = { error: overloaded.entry.code, rejected, topCaller };
    this.logger.warn('The server is overloaded: requests were rejected', details);
  }
}

function createTurns(): ConcurrencyLimiter {
  const limits = { running: startsPerTurn, runningPerCaller: startsPerTurn, waiting, maxWait: queueWait };
  return new ConcurrencyLimiter(limits, (run) => run());
}

/** Returns whether the response was sent, also if it is a file whose receiver has left, which is never ended. */
const isSent = (response: Response) => response.writableEnded || response.hasHeader('Content-Length');

/**
 * Frees the slot when the work ends, or when no work goes on any more after a disconnect, so that aborted requests cannot pile up.
 */
function releaseWhenDone(response: Response, slot: Slot): void {
  if (!slot.isRunning || isSent(response)) {
    slot.release();
    return;
  }
  const abandonedAt = performance.now();
  const timer = setInterval(() => {
    if (!isSent(response) && performance.now() - abandonedAt < requestEnd) return;
    clearInterval(timer);
    slot.release();
  }, abandonedCheckMilliseconds).unref();
}
