import { texts } from '../texts';
import type { ErrorEnvelope, FieldProblem } from './generated/types.gen';

/** A failed call, with what the error envelope says. Calls without a response have no `status`. */
export class ApiError extends Error {
  readonly status: number | undefined;
  readonly traceId: string | undefined;
  readonly details: readonly FieldProblem[];

  constructor(message: string, status?: number, envelope?: Partial<ErrorEnvelope>) {
    super(message);
    this.status = status;
    this.traceId = envelope?.traceId;
    this.details = envelope?.details ?? [];
  }
}

interface Result<Data> {
  readonly data?: Data;
  readonly error?: unknown;
  readonly response?: Response;
}

/**
 * Returns the data of a generated call.
 * @throws ApiError for any other outcome
 */
export async function send<Data>(call: Promise<Result<Data>>): Promise<Data> {
  const { data, error, response } = await call;
  if (response === undefined) throw new ApiError(texts.unreachable);
  if (response.ok) return data as Data;
  const envelope = typeof error === 'object' ? (error as Partial<ErrorEnvelope> | null) : null;
  const message = envelope?.message ?? texts.unexpected(response.status);
  throw new ApiError(message, response.status, envelope ?? {});
}
