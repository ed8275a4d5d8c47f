import { errorCatalogue } from '../common/errors/error-catalogue.js';
import { ServiceError } from '../common/errors/service-error.js';
import type { RequestContext } from '../common/context/request-context.js';

/** The revision of a new record, and of records that were stored before revisions existed. */
export const firstRevision = 1;

/** The condition of the `If-Match` header on the stored revision. */
export type IfMatch = Pick<RequestContext, 'ifMatch'>;

/** Returns the stored values that a revision matches: records stored before revisions existed have none. */
export function storedRevisions(revisions: readonly number[]): { $in: (number | null)[] } {
  return { $in: revisions.includes(firstRevision) ? [...revisions, null] : [...revisions] };
}

/**
 * Throws unless the record's revision is one of those in `If-Match`.
 * @throws ServiceError 41201
 */
export function assertRevision({ ifMatch }: IfMatch, { revision = firstRevision }: { revision?: number }): void {
  if (ifMatch === undefined || ifMatch === '*' || ifMatch.includes(revision)) return;
  throw new ServiceError(errorCatalogue.revisionMismatch, {
    message: `The record was changed: its revision is ${revision}. Read it again`,
  });
}

interface Operators {
  readonly $set: Readonly<Record<string, unknown>>;
  readonly $unset?: Readonly<Record<string, unknown>>;
}

/**
 * Converts an update into a pipeline that also increments `revision` and sets `updatedAt`, both only if it changes a
 * field. MongoDB writes nothing if the record stays equal.
 */
export function withRevision(update: object): object[] {
  const { $set, $unset = {} } = update as Operators;
  const { updatedAt, ...values } = $set;
  const isDifferent = Object.entries(values).map(([field, value]) => ({ $ne: [`$${field}`, { $literal: value }] }));
  const isSet = Object.keys($unset).map((field) => ({ $ne: [{ $type: `$${field}` }, 'missing'] }));
  const changed = { $or: [...isDifferent, ...isSet] };
  const next = { $add: [{ $ifNull: ['$revision', firstRevision] }, 1] };
  return [
    {
      $set: {
        ...Object.fromEntries(Object.entries(values).map(([field, value]) => [field, { $literal: value }])),
        ...Object.fromEntries(Object.keys($unset).map((field) => [field, '$$REMOVE'])),
        revision: { $cond: [changed, next, '$revision'] },
        updatedAt: { $cond: [changed, updatedAt, '$updatedAt'] },
      },
    },
  ];
}
