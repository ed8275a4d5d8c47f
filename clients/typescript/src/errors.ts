import type { ErrorCode, ErrorEnvelope, FieldProblem } from './generated/types.gen.js';

/** An error response of the API. Its properties come from the body; `message` is for people and can change. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  /** The HTTP status. */
  readonly status: number;
  /** The error code; undefined if the response did not come from the API. New codes can be added. */
  readonly code: ErrorCode | (number & {}) | undefined;
  /** The invalid fields. */
  readonly details: readonly FieldProblem[];
  /** The ID of the request. Include it when you report a problem. */
  readonly traceId: string | undefined;
  /** The seconds to wait before the request can be repeated, if the response has them. */
  readonly retryAfter: number | undefined;

  constructor(response: Response, body: unknown) {
    const { error, message, details, traceId } = Object(body) as Partial<ErrorEnvelope>;
    super(message ?? `The server responded with status ${response.status}.`);
    this.status = response.status;
    this.code = error;
    this.details = details ?? [];
    this.traceId = traceId ?? response.headers.get('X-Request-Id') ?? undefined;
    this.retryAfter = parseRetryAfter(response.headers.get('Retry-After'));
  }
}

/** No complete response arrived in time. A write may have taken effect. `cause` is the error of `fetch`. */
export class ConnectionError extends Error {
  override readonly name = 'ConnectionError';
}

/** Returns true if the error is an `ApiError` with one of the codes: `isError(error, 40905)`. */
export function isError<Code extends ErrorCode>(error: unknown, ...codes: Code[]): error is ApiError & { code: Code } {
  return error instanceof ApiError && codes.some((code) => code === error.code);
}

/** Returns the seconds of a `Retry-After` header, which has seconds or a date. */
function parseRetryAfter(header: string | null): number | undefined {
  if (header === null) return undefined;
  const seconds = /^\d+$/.test(header) ? Number(header) : (Date.parse(header) - Date.now()) / 1_000;
  return Number.isNaN(seconds) ? undefined : Math.max(0, seconds);
}
