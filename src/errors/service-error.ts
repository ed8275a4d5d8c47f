import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ApiRequest } from '../http/api-request.js';
import { type CatalogueEntry, errorCatalogue, type ErrorName, statusOf } from './error-catalogue.js';

/** A problem with one input: `field` as a path (`rows[3].stats.completions`), `message` as a sentence. */
export interface FieldProblem {
  readonly field: string;
  readonly message: string;
}

export const maxDetails = 50;

/** An error from the catalogue. Services throw it; `ErrorFilter` turns it into an HTTP response. */
export class ServiceError extends Error {
  readonly entry: CatalogueEntry;
  readonly details: readonly FieldProblem[] | undefined;
  readonly retryAfterSeconds: number | undefined;

  constructor(
    errorName: ErrorName,
    options: { message?: string; details?: readonly FieldProblem[]; retryAfterSeconds?: number; cause?: unknown } = {},
  ) {
    const entry: CatalogueEntry = errorCatalogue[errorName];
    super(options.message ?? entry.message, { cause: options.cause });
    this.name = 'ServiceError';
    this.entry = entry;
    this.details = options.details;
    this.retryAfterSeconds = options.retryAfterSeconds ?? entry.retryAfterSeconds;
  }

  get status(): number {
    return statusOf(this.entry);
  }

  /** Returns the body of the error's response. */
  envelope(traceId: string) {
    return {
      error: this.entry.code,
      message: this.message,
      timestamp: new Date().toISOString(),
      traceId,
      ...(this.details && { details: this.details }),
    };
  }
}

/** Returns a record that was found, or throws the error. */
export function assertFound<T>(record: T | null | undefined, errorName: ErrorName): T {
  if (record === null || record === undefined) throw new ServiceError(errorName);
  return record;
}

/** For `catch`: ignores errors of the catalogue and throws all others. */
export function unlessServiceError(error: unknown): undefined {
  if (!(error instanceof ServiceError)) throw error;
}

/** Returns the `Link` header of an error: its code in the error page of the API reference. */
export function helpLink({ code }: CatalogueEntry): string {
  return `</docs#errors/description/${code}>; rel="help"`;
}

/** Sends an error response, unless a response was already sent. Also works before Express has seen the request. */
export function sendEnvelope(request: IncomingMessage, response: ServerResponse, error: ServiceError): void {
  if (response.headersSent) return;
  Object.assign(request as ApiRequest, { error, errorCode: error.entry.code });
  if (error.retryAfterSeconds !== undefined) response.setHeader('Retry-After', error.retryAfterSeconds);
  if (error.status === 401) response.setHeader('WWW-Authenticate', 'Bearer');
  response.appendHeader('Link', helpLink(error.entry));
  const body = JSON.stringify(error.envelope((request as ApiRequest).requestId));
  response.statusCode = error.status;
  response.setHeader('Content-Type', 'application/json; charset=utf-8');
  response.setHeader('Content-Length', Buffer.byteLength(body));
  response.end(body);
}

/** Creates a 40001 error with the first problem as its message and all of them (at most 50) as details. */
export function invalidFields(problems: readonly FieldProblem[]): ServiceError {
  const message = problems[0]?.message ?? errorCatalogue.invalidField.message;
  return new ServiceError('invalidField', { message, details: problems.slice(0, maxDetails) });
}

/** Creates the 50302 error of a write that lost to others too often. Its cause tells it from an overloaded server. */
export function writeConflict(problem: string, cause: unknown = new Error('write conflict')): ServiceError {
  return new ServiceError('overloaded', { message: `${problem}; try again`, cause });
}

/** Truncates an unknown name to 60 characters, so that a response does not repeat a large one. */
export function truncateName(name: string): string {
  return name.length > 60 ? `${name.slice(0, 60)}…` : name;
}

/** Creates the problem of a field or parameter that the request does not accept. */
export function rejectedName(name: string, reason = 'is not a known field'): FieldProblem {
  const field = truncateName(name);
  return { field, message: `${field} ${reason}` };
}

/** Creates a 40001 error for a single field. */
export function invalidField(field: string, message: string): ServiceError {
  return invalidFields([{ field, message }]);
}
