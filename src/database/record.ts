import { applyDecorators } from '@nestjs/common';
import { Prop, type PropOptions } from '@nestjs/mongoose';
import { ApiProperty, type ApiPropertyOptions } from '@nestjs/swagger';
import { type Schema, type SchemaOptions, Types, type UpdateQuery } from 'mongoose';
import type { Actor, RequestContext } from '../access/request-context.js';
import { ServiceError } from '../errors/service-error.js';
import { DateField, RecordIdField } from '../validation/fields.js';
import { canonicalJson } from '../validation/json.js';

/** A stored ID. The code outside repositories uses ID strings. */
export type RecordId = Types.ObjectId;

const example = '2027-02-01T09:00:00.000Z';

export function CreatedAtField(): PropertyDecorator {
  return DateField({ description: 'When the record was created.', example, required: true, immutable: true });
}

/** The ID of the organization that a record belongs to. */
export function OrganizationIdField(description: string): PropertyDecorator {
  return RecordIdField({ description, example: '6650f1f77bcf86cd79943911', required: true, immutable: true });
}

/** A field of a record that never changes, returned as stored. */
export function RecordedField(
  type: unknown,
  description: string,
  example?: unknown,
  options: object = {},
): PropertyDecorator {
  // Of other types, OpenAPI shows that of the property.
  const isShown = !('enum' in options) && (type === String || type === Number || Array.isArray(type));
  const shown = { ...(isShown && { type }), ...options, description, ...(example !== undefined && { example }) };
  return applyDecorators(Prop({ type, immutable: true } as PropOptions), ApiProperty(shown as ApiPropertyOptions));
}

export abstract class StoredRecord {
  _id!: RecordId;

  @CreatedAtField()
  createdAt!: Date;

  @DateField({ description: 'When the record was last updated.', example, required: true })
  updatedAt!: Date;
}

export interface OrganizationRecord extends StoredRecord {
  organizationId: RecordId;
}

/** Converts an ID string to a stored ID. */
export function toRecordId(id: string): RecordId {
  return new Types.ObjectId(id);
}

/** Returns the ID of the acting admin for `createdBy`; undefined for the server and for operators. */
export function adminIdOf(actor: Actor): RecordId | undefined {
  return 'system' in actor ? undefined : toRecordId(actor.user.id);
}

export function newRecordId(): RecordId {
  return new Types.ObjectId();
}

/**
 * The options of every schema: unknown fields and filters throw instead of being dropped, commands are not buffered while
 * the database is unreachable, indexes are created explicitly, and there is no version key.
 */
export const storage = {
  strict: 'throw',
  strictQuery: 'throw',
  versionKey: false,
  minimize: false,
  autoIndex: false,
  autoCreate: false,
  bufferCommands: false,
  id: false,
  // Records are not Mongoose documents, so a field such as `errors` hides no property of theirs.
  suppressReservedKeysWarning: true,
} as const satisfies SchemaOptions;

/** Changes of a record. A value sets a field, null clears it, and an omitted field keeps its value. */
export type FieldChanges<T> = { readonly [K in keyof T]?: T[K] | null | undefined };

/** Returns the changes that give a field of the record another value. */
export function changesOf<T extends object>(record: T, changes: FieldChanges<T>): FieldChanges<T> {
  const differs = ([name, value]: [string, unknown]) =>
    value !== undefined && !isEqual(value, record[name as keyof T] ?? null);
  return Object.fromEntries(Object.entries(changes).filter(differs)) as FieldChanges<T>;
}

/** As JSON, because IDs and times are objects; the order of keys makes no difference. */
function isEqual(...values: [unknown, unknown]): boolean {
  const [one = '', other = ''] = values.map((value) => JSON.stringify(value));
  return one === other || (one.startsWith('{') && canonicalJson(JSON.parse(one)) === canonicalJson(JSON.parse(other)));
}

/** Builds an update with explicit operators, so that nothing a client sends can be an operator. */
export function toUpdate<T>(changes: FieldChanges<T>): UpdateQuery<T> {
  const named = Object.entries(changes).filter(([, value]) => value !== undefined);
  const set = Object.fromEntries(named.filter(([, value]) => value !== null));
  const unset = Object.fromEntries(named.filter(([, value]) => value === null).map(([field]) => [field, 1]));
  return { $set: set, $unset: unset } as UpdateQuery<T>;
}

/** Builds a projection, without `_id` unless it is named. */
export function projectionOf(fields: readonly string[]): Readonly<Record<string, 0 | 1>> {
  return { _id: 0, ...Object.fromEntries(fields.map((field) => [field, 1] as const)) };
}

export const firstRevision = 1;

/** Returns the revision of a record without a counter: the time of its latest change. */
export const revisionOf = ({ updatedAt }: { readonly updatedAt: Date }): number => Number(updatedAt);

/** Returns the time of a change of such a record, which is later than that of the change before. */
export const changeTimeOf = (stored: { readonly updatedAt: Date }, now: Date): Date =>
  new Date(Math.max(Number(now), revisionOf(stored) + 1));

export const RevisionProperty = (): PropertyDecorator =>
  ApiProperty({
    type: 'integer',
    description: 'The version of the record, for `If-Match`. Every change gives it another one.',
    example: 1_801_476_000_000,
  });

/** The conditions of a request on the stored revision (RFC 9110, 13.2). */
export type Preconditions = Pick<RequestContext, 'ifMatch' | 'ifNoneMatch'>;

/** Returns the stored values that the preconditions accept, or undefined if they accept all. */
export function acceptedRevisions({ ifMatch = '*', ifNoneMatch = [] }: Preconditions): object | undefined {
  if (ifNoneMatch === '*') return { $in: [] };
  const accepted = {
    ...(ifMatch !== '*' && { $in: [...ifMatch] }),
    ...(ifNoneMatch.length > 0 && { $nin: [...ifNoneMatch] }),
  };
  return Object.keys(accepted).length === 0 ? undefined : accepted;
}

/** Throws unless the preconditions accept the record's revision. */
export function assertRevision(
  { ifMatch = '*', ifNoneMatch = [] }: Preconditions,
  { revision }: { revision: number },
): void {
  if (ifNoneMatch === '*' || ifNoneMatch.includes(revision))
    throw new ServiceError('revisionMismatch', { message: `The record exists, with the revision ${revision}` });
  if (ifMatch === '*' || ifMatch.includes(revision)) return;
  const message = `The record was changed: its revision is ${revision}. Read it again`;
  throw new ServiceError('revisionMismatch', { message });
}

/** The same of a record whose revision is the time of its latest change. */
export const assertChangeTime = (context: Preconditions, record: { readonly updatedAt: Date }): void =>
  assertRevision(context, { revision: revisionOf(record) });

/**
 * Checks an update of which a pipeline is built: Mongoose itself checks every other update, but no pipeline.
 * @throws Error if it has a field that is immutable, or that the schema does not have
 */
export function assertMutable({ paths }: Schema, update: object): void {
  for (const name of Object.values(update as Record<string, object>).flatMap(Object.keys)) {
    const field = paths[name];
    if (field === undefined || name === '_id' || (field.options as { immutable?: boolean }).immutable === true)
      throw new Error(`An update changes ${name}, which is immutable or unknown`);
  }
}

/**
 * Converts an update into a pipeline that also increments `revision` and sets `updatedAt` and `changedBy`, all only if it
 * changes a field. MongoDB writes nothing if the record stays equal.
 */
export function withRevision(update: object): object[] {
  const { $set, $unset } = update as Record<'$set' | '$unset', Readonly<Record<string, unknown>>>;
  const { updatedAt, changedBy, ...set } = $set;
  const unset = Object.keys($unset);
  const merged = { $mergeObjects: ['$$ROOT', { $literal: set }] };
  // One comparison of the whole record: a condition for each field takes 12 µs more to send, and MongoDB 12 % more time.
  const changed = { $or: [{ $ne: [merged, '$$ROOT'] }, ...unset.map((field) => ({ $gt: [`$${field}`, null] }))] };
  const version = { $literal: { updatedAt, changedBy } };
  const next = { $mergeObjects: [merged, version, { revision: { $add: ['$revision', 1] } }] };
  return [{ $replaceWith: { $cond: [changed, next, '$$ROOT'] } }, ...(unset.length > 0 ? [{ $unset: unset }] : [])];
}
