import { type CatalogueEntry, errorCatalogue, statusOf } from './error-catalogue.js';

/** One wrong field: `field` as a path (`rows[3].stats.completions`), `message` a whole sentence. */
export interface FieldProblem {
  readonly field: string;
  readonly message: string;
}

/** At most so many problems leave in `details`. */
const maximumDetails = 50;

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

/** The problem of a field, or a query parameter, that the request does not take. */
export function unknownField(field: string): FieldProblem {
  return { field, message: `${field} is not a known field` };
}

/** The 40001 refusal of a single field. */
export function invalidField(field: string, message: string): ServiceError {
  return invalidFields([{ field, message }]);
}
