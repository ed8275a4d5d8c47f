import type { Request } from 'express';
import type { AdminContext, KeyRejection, KnownKey, RequestContext } from '../access/request-context.js';
import type { CatalogueEntry } from '../errors/error-catalogue.js';

/** A known API key that was rejected. */
export interface RejectedKey extends KnownKey {
  readonly reason: KeyRejection;
}

/** An Express request with the properties that middleware and guards add. */
export interface ApiRequest extends Request {
  requestId: string;
  /** Arrival on the monotonic clock, in milliseconds, before the overload queue. */
  arrivedAt: number;
  /** True if the request target is not a valid URL. */
  hasInvalidTarget?: boolean;
  /** True if the path has a malformed percent-escape, or escapes that are not UTF-8. */
  hasMalformedPath?: boolean;
  /** The request's OpenTelemetry span as fields of log lines, if requests are traced. */
  otelSpan?: object;
  /** The response deadline: paused while the client sends the body, aborted when the request has timed out. */
  deadline?: { readonly aborted: boolean; pause(): void; resume(): void };
  /** The organization or user whose credential this process has authenticated before, and which the request carries. */
  knownCaller?: string | undefined;
  /** The request's slot in the concurrency limiter. */
  overload?: {
    /**
     * Frees the slot while the body is received.
     * @throws ServiceError 50302 if too many bodies are being received
     */
    pause(): void;
    /**
     * Waits for a slot again.
     * @throws ServiceError 50302 if none was free in time
     */
    resume(): Promise<void>;
    /** Counts an overload error in the log line about rejected requests. */
    countRejection(): void;
    /** Frees the slot and sends the error that rejects a client beyond its limits: late, if there are many. */
    reject(send: () => void): void;
  };
  /** True if the log line about rejected requests counts this one. */
  isCountedAsRejected?: boolean;
  /** How long the request waited for a slot, in milliseconds. */
  waitedMilliseconds?: number;
  /** The API key, once its secret is verified, even if the request is rejected later. */
  knownKey?: KnownKey;
  /** The API key that the credential names, if it was rejected. */
  rejectedKey?: RejectedKey;
  integrationContext?: RequestContext;
  adminContext?: AdminContext;
  /** Name of the route handler, which is also the OpenAPI operation ID. */
  operation?: string;
  /** Service code of the error that was sent as the response. */
  errorCode?: number;
  /** That error. */
  error?: {
    readonly entry: CatalogueEntry;
    readonly message: string;
    readonly details: readonly { readonly field: string }[] | undefined;
  };
  /** The scope that the key lacks, or the address that it may not be used from. */
  errorDetail?: string;
}
