import { setTimeout as sleep } from 'node:timers/promises';
import type { Type } from '@nestjs/common';
import type { Clock } from '../config/clock.js';
import type { RequestContext } from '../access/request-context.js';
import type { ErrorName } from '../errors/error-catalogue.js';
import { invalidField, ServiceError } from '../errors/service-error.js';
import { assertRevision, changesOf, type FieldChanges } from '../database/record.js';
import { mapInSteps, runInTurns } from '../http/turns.js';
import { createFrom } from '../validation/dto.js';
import { changedByOf } from './changed-by.js';
import type { BulkRequest, BulkResponse, ParsedRow, Row, Warning } from './bulk.dto.js';
import { failed, type Outcome, toBulkResponse } from './outcome.js';
import type { UpsertQuery } from './routes.js';
import { newRecord, type StoredSyncedRecord, type SyncedRecord } from './synced-record.schema.js';
import type { SyncedRecords } from './synced.repository.js';

/**
 * Maximum attempts of a row: of the requests that write a record concurrently, one succeeds per attempt. The others wait for a
 * random time, which grows.
 */
const maxAttempts = 40;
const backoffMilliseconds = 4;

/** What distinguishes the records of a service. */
interface SyncedKind<S, C, R> {
  readonly repository: SyncedRecords<S>;
  readonly clock: Clock;
  readonly createType: Type<C>;
  readonly notFound: ErrorName;
  readonly toResponse: (record: S) => R;
}

/** The record, such as a team, within which external IDs are unique. */
export type Parent = Readonly<Record<string, string>>;

type UpsertOptions = Partial<UpsertQuery & Pick<BulkRequest<unknown>, 'dryRun'>> & {
  readonly parent: Parent | undefined;
};

/**
 * Base of the services of records that partners synchronize, including by their own IDs. `S` are the public fields of a record,
 * `U` an upsert, `C` a create request, `R` the response, and `L` the other records that requests name. The last parameter of
 * each method is the ID of the parent, of records that have one.
 */
export abstract class SyncedService<
  S extends SyncedRecord,
  U extends { externalId?: string | null },
  C extends U,
  R,
  L = undefined,
> {
  protected constructor(private readonly kind: SyncedKind<S, C, R>) {}

  /** Returns the parent with an ID, or throws its error; only of records that have one. */
  protected findParent?(context: RequestContext, parentId?: string): Promise<Parent>;

  /** Reads the other records that `build` and `change` need for all rows, with a constant number of queries. */
  protected abstract findRelated(context: RequestContext, inputs: readonly U[], stored: readonly S[]): Promise<L>;

  /**
   * Builds the fields of a new record, except those of every record. Pure, as is `change`.
   * @throws ServiceError with which the row fails
   */
  protected abstract build(input: C, related: L, parent?: Parent): Omit<S, keyof StoredSyncedRecord>;

  /**
   * Builds the changes of a stored record.
   * @throws ServiceError with which the row fails
   */
  protected abstract change(input: U, stored: S, related: L): FieldChanges<S>;

  /** Returns the IDs of those records that cannot be deleted, because others belong to them; only of teams. */
  protected findUsed?(context: RequestContext, records: readonly S[]): Promise<ReadonlyMap<string, string>>;

  /** Returns what a partner should know about records that are written; only of games. */
  protected findWarnings?(context: RequestContext, records: readonly S[]): Promise<ReadonlyMap<S, readonly Warning[]>>;

  /** Creates a record, once per `idem-key`. */
  async create(context: RequestContext, input: C, parentId?: string): Promise<R> {
    const { repository } = this.kind;
    const parent = await this.findParent?.(context, parentId);
    const record = this.newRecord(context, input, await this.findRelated(context, [input], []), parent);
    const response = await this.respondTo(context, record);
    await repository.insertIdempotent(context, record, context.idempotencyKey, response);
    context.onRevision?.(record.revision);
    return response;
  }

  /** Returns the response to a write of a record, with its warnings. */
  private async respondTo(context: RequestContext, record: S): Promise<R> {
    const warnings = (await this.findWarnings?.(context, [record]))?.get(record);
    return { ...this.kind.toResponse(record), ...(warnings && { warnings }) };
  }

  async getByExternalId(context: RequestContext, externalId: string, parentId?: string): Promise<{ data: R }> {
    const { repository, notFound } = this.kind;
    const parent = await this.findParent?.(context, parentId);
    const [record] = await repository.findByExternalIds(context, [externalId], parent);
    if (record === undefined) throw new ServiceError(notFound);
    return { data: this.respond(context, record) };
  }

  /** Updates the record with an external ID, or creates it. */
  async upsert(
    context: RequestContext,
    externalId: string,
    { updateOnly }: UpsertQuery,
    input: U,
    parentId?: string,
  ): Promise<R> {
    const parent = await this.findParent?.(context, parentId);
    if (input.externalId !== undefined && input.externalId !== externalId)
      throw invalidField('externalId', 'externalId must equal the one in the path, or be omitted');
    const { result, record } = await this.writeRow(context, { ...input, externalId }, { updateOnly, parent });
    if (result === 'created') context.onCreated?.();
    context.onRevision?.(record.revision);
    return this.respondTo(context, record);
  }

  async removeByExternalId(context: RequestContext, externalId: string, parentId?: string): Promise<void> {
    const parent = await this.findParent?.(context, parentId);
    await this.writeRow(context, { externalId, delete: true } as Row<U>, { parent });
  }

  /**
   * Creates, updates or deletes the record of each row. An invalid row, and one that other requests keep changing, fails
   * without affecting the others.
   */
  async bulkUpsert(
    context: RequestContext,
    { rows, dryRun }: BulkRequest<U>,
    parentId?: string,
  ): Promise<BulkResponse> {
    const parent = await this.findParent?.(context, parentId);
    const outcomes = await this.writeRows(context, rows, { dryRun, parent });
    const kept = outcomes.flatMap((one) =>
      one.result === 'deleted' || one.result === 'failed' ? [] : (one.record ?? []),
    );
    return toBulkResponse(rows, outcomes, dryRun, await this.findWarnings?.(context, kept));
  }

  private async writeRow(context: RequestContext, row: Row<U>, options: UpsertOptions) {
    const [outcome = failed()] = await this.writeRows(context, [{ row }], options);
    if (outcome.result === 'failed') throw outcome.error;
    const { result, record } = outcome;
    if (record === undefined) throw new ServiceError(this.kind.notFound);
    return { result, record };
  }

  /** Returns the response with one record, whose revision is sent as `ETag`. */
  protected respond(context: RequestContext, record: S): R {
    context.onRevision?.(record.revision);
    return this.kind.toResponse(record);
  }

  /**
   * Writes all valid rows: one query for the existing records, and one bulk write. Both are repeated for rows whose record
   * another request has written since, and for rows after a deletion of the same ID. Returns the outcome of each row.
   * Example: of `delete A`, `create A` and an invalid `B`, the first attempt deletes A, the second one creates A, and B
   * fails with its own error. If A cannot be deleted, the row that creates it fails with the error of the deletion.
   */
  private async writeRows(context: RequestContext, parsed: readonly ParsedRow<U>[], options: UpsertOptions) {
    const outcomes = new Map<Row<U> | undefined, Outcome<S>>();
    const isApplied = (deletion: Row<U>) => (outcomes.get(deletion)?.result ?? 'failed') !== 'failed';
    for (let attempt = 1; attempt <= maxAttempts; attempt++) {
      const ready = parsed.filter(({ row, after }) => !outcomes.has(row) && (!after || isApplied(after)));
      const rows = ready.flatMap(({ row }) => row ?? []);
      if (rows.length === 0) break;
      if (attempt > 1) await sleep(backoffMilliseconds * attempt * Math.random());
      // After the first attempt of a dry run, only rows after deletions are left, whose records count as deleted.
      const ids = options.dryRun && attempt > 1 ? [] : rows.map(({ externalId }) => externalId);
      const stored = await this.kind.repository.findByExternalIds(context, ids, options.parent);
      const plans = await this.planRows(context, rows, stored, options);
      const writes = options.dryRun ? [] : plans.flatMap(([, { write }]) => write ?? []);
      const rejected = await this.kind.repository.writeAll(context, writes);
      for (const [row, outcome] of plans) {
        if (outcome.write === undefined || !rejected.has(outcome.write)) outcomes.set(row, outcome);
      }
    }
    return parsed.map(({ row, after, error }) => outcomes.get(row) ?? failed(outcomes.get(after)?.error ?? error));
  }

  private async planRows(context: RequestContext, rows: Row<U>[], stored: S[], options: UpsertOptions) {
    const byExternalId = new Map(stored.map((record) => [record.externalId, record]));
    const deleted = rows.filter((row) => row.delete).flatMap(({ externalId }) => byExternalId.get(externalId) ?? []);
    const used = await this.findUsed?.(context, deleted);
    const others = { used, related: await this.findRelated(context, rows, stored) };
    const plan = (row: Row<U>) => this.planRow(context, row, byExternalId.get(row.externalId), others, options);
    return runInTurns(mapInSteps(rows, (row) => [row, plan(row)] as const));
  }

  /** Plans what to do with a row, which the error of a rule fails. */
  private planRow(
    context: RequestContext,
    row: Row<U>,
    stored: S | undefined,
    { related, used }: { readonly related: L; readonly used?: ReadonlyMap<string, string> | undefined },
    { updateOnly, parent }: UpsertOptions,
  ): Outcome<S> {
    try {
      if (row.delete) return stored ? this.planDeletion(context, stored, used) : { result: 'unchanged' };
      if (stored !== undefined) return this.planUpdate(context, row, stored, related);
      if (updateOnly) throw new ServiceError(this.kind.notFound);
      if (context.ifMatch !== undefined) {
        const message = 'There is no record with this externalId, so If-Match cannot match';
        throw new ServiceError('revisionMismatch', { message });
      }
      const record = this.newRecord(context, createFrom(this.kind.createType, row), related, parent);
      return { result: 'created', record, write: { record } };
    } catch (error) {
      if (!(error instanceof ServiceError) || error.status >= 500) throw error;
      return failed(error);
    }
  }

  private planUpdate(context: RequestContext, row: U, stored: S, related: L): Outcome<S> {
    assertRevision(context, stored);
    const differing = changesOf(stored, this.change(row, stored, related));
    if (Object.keys(differing).length === 0) return { result: 'unchanged', record: stored };
    return { result: 'updated', ...this.planWrite(context, stored, differing) };
  }

  protected planDeletion(context: RequestContext, stored: S, used?: ReadonlyMap<string, string>) {
    assertRevision(context, stored);
    const contents = used?.get(String(stored._id));
    if (contents !== undefined) throw new ServiceError('teamInUse', { message: `The team has ${contents}` });
    const now = this.kind.clock.now();
    return { result: 'deleted', ...this.planWrite(context, stored, { deletedAt: now } as object, now) } as const;
  }

  private planWrite(context: RequestContext, stored: S, differing: FieldChanges<S>, now = this.kind.clock.now()) {
    const { _id: id, revision } = stored;
    const version = { revision: revision + 1, updatedAt: now, changedBy: changedByOf(context) };
    const changes: FieldChanges<S> = { ...differing, ...version };
    return { record: Object.assign({}, stored, changes), write: { id, revision, changes, before: stored } };
  }

  /** Returns a record with its internal fields, which the response leaves out. */
  private newRecord(context: RequestContext, input: C, related: L, parent?: Parent): S {
    return { ...this.build(input, related, parent), ...newRecord(context, this.kind.clock) } as unknown as S;
  }
}
