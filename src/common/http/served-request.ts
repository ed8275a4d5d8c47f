import type { Request } from 'express';
import type { AdminContext, DeadlineSignal, RequestContext } from '../context/request-context.js';

/** What the steps on the way of a request leave on it for the later ones. */
export interface ServedRequest extends Request {
  requestId: string;
  /** When it came, by the monotonic clock, in milliseconds: before it waited for others. */
  arrivedAt: number;
  /** The id of the trace that the request belongs to, where requests are traced. */
  otelTraceId?: string;
  /** The time that is left for the answer; it can be held while the client takes its time. */
  deadline?: { start(): void; stop(): void };
  /** Aborted when the time is over and the request was refused. */
  deadlineSignal?: DeadlineSignal;
  /** The place among the requests that are served at once. */
  overload?: {
    /**
     * Gives the place to others while the body is received.
     * @throws ServiceError 50302 where too many bodies are being received
     */
    pause(): void;
    /**
     * Waits for a place again.
     * @throws ServiceError 50302 where none was free in time
     */
    resume(): Promise<void>;
  };
  /** How long the request waited for a place, in milliseconds. */
  waitedMilliseconds?: number;
  integrationContext?: RequestContext;
  adminContext?: AdminContext;
  /** The name of the handler, which is the operation's id. */
  operation?: string;
  /** The service code of the refusal that was its answer. */
  refusal?: number;
}

/** The pattern of the route that a request was for; undefined where none matched, or none was looked for. */
export function routePattern({ route }: ServedRequest): string | undefined {
  const { path } = (route ?? {}) as { path?: unknown };
  return typeof path === 'string' ? path : undefined;
}

/** The credential of an `Authorization: Bearer …` header, the word in any case; undefined where there is none. */
export function bearerCredential(header: string | undefined): string | undefined {
  return /^Bearer +(\S+) *$/i.exec(header ?? '')?.[1];
}

/** True for what machines ask every few seconds: whether the server lives and is ready. A query may follow the path. */
export function isHealthCheck(url: string): boolean {
  return /^\/health\/(?:live|ready)\/?(?:\?|$)/i.test(url);
}
