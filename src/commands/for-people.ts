import { ServiceError } from '../common/errors/service-error.js';
import { StartError } from '../config/start-error.js';
import { isDatabaseAway } from '../database/database-error.filter.js';

/** An error as an operator shall read it: refusals in their own words, and what nobody foresaw with its stack. */
export function forPeople(error: unknown): unknown {
  if (error instanceof ServiceError) return new StartError(error.message, { cause: error });
  if (!isDatabaseAway(error)) return error;
  return new StartError(`The database cannot be reached: ${(error as Error).message}`, { cause: error });
}
