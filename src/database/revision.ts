import { errorCatalogue } from '../errors/error-catalogue.js';
import { ServiceError } from '../errors/service-error.js';
import type { RequestContext } from '../access/request-context.js';

/** The revision of a new record. */
export const firstRevision = 1;

/** The condition of the `If-Match` header on the stored revision. */
export type IfMatch = Pick<RequestContext, 'ifMatch'>;

/** Returns the stored values that `If-Match` accepts, or undefined if it accepts all. */
export function acceptedRevisions({ ifMatch }: IfMatch): { $in: number[] } | undefined {
  return ifMatch === undefined || ifMatch === '*' ? undefined : { $in: [...ifMatch] };
}

/**
 * Throws unless the record's revision is one of those in `If-Match`.
 * @throws ServiceError 41201
 */
export function assertRevision({ ifMatch }: IfMatch, { revision }: { revision: number }): void {
  if (ifMatch === undefined || ifMatch === '*' || ifMatch.includes(revision)) return;
  throw new ServiceError(errorCatalogue.revisionMismatch, {
    message: `The record was changed: its revision is ${revision}. Read it again`,
  });
}

/**
 * Converts an update into a pipeline that also increments `revision` and sets `updatedAt`, both only if it changes a
 * field. MongoDB writes nothing if the record stays equal.
 */
export function withRevision(update: object): object[] {
  const { $set, $unset } = update as Record<'$set' | '$unset', Readonly<Record<string, unknown>>>;
  const { updatedAt, ...set } = $set;
  const unset = Object.keys($unset).map((field) => [field, null] as const);
  const changes = [...Object.entries(set), ...unset];
  const changed = {
    $or: changes.map(([field, value]) => ({ $ne: [{ $ifNull: [`$${field}`, null] }, { $literal: value }] })),
  };
  const next = { $add: ['$revision', 1] };
  const values: Record<string, unknown> = {
    revision: { $cond: [changed, next, '$revision'] },
    updatedAt: { $cond: [changed, updatedAt, '$updatedAt'] },
  };
  for (const [field, value] of changes) values[field] = value === null ? '$$REMOVE' : { $literal: value };
  return [{ $set: values }];
}
