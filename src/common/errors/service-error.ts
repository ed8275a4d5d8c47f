import { type CatalogueEntry, errorCatalogue, statusOf } from './error-catalogue.js';

/** One wrong field: `field` as a path (`rows[3].stats.completions`), `message` a whole sentence. */
export interface FieldProblem {
  readonly field: string;
  readonly message: string;
}

/** The number of problems that `details` holds at most. */
export const maximumDetails = 50;

/** The number of characters of an unknown name that a message quotes at most, so that a large name is not sent back. */
const quotedLength = 60;

/** A refusal from the catalogue. Services throw it; only the filter knows what becomes of it over HTTP. */
export class ServiceError extends Error {
  readonly details: readonly FieldProblem[] | undefined;
  readonly retryAfterSeconds: number | undefined;

  constructor(
    readonly entry: CatalogueEntry,
    options: { message?: string; details?: readonly FieldProblem[]; retryAfterSeconds?: number; cause?: unknown } = {},
  ) {
    super(options.message ?? entry.message, { cause: options.cause });
    this.name = 'ServiceError';
    this.details = options.details;
    this.retryAfterSeconds = options.retryAfterSeconds;
  }

  get status(): number {
    return statusOf(this.entry);
  }
}

/** The 40001 refusal: the first problem is the message, all (at most 50) are the details. */
export function invalidFields(problems: readonly FieldProblem[]): ServiceError {
  const message = problems[0]?.message ?? errorCatalogue.invalidField.message;
  return new ServiceError(errorCatalogue.invalidField, { message, details: problems.slice(0, maximumDetails) });
}

/** The problem of a body field or query parameter that the request does not take; a long name is cut. */
export function unknownField(name: string): FieldProblem {
  const field = name.length > quotedLength ? `${name.slice(0, quotedLength)}…` : name;
  return { field, message: `${field} is not a known field` };
}

/** The 40001 refusal of a single field. */
export function invalidField(field: string, message: string): ServiceError {
  return invalidFields([{ field, message }]);
}
