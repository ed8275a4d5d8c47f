import { setTimeout as sleep } from 'node:timers/promises';
import type { Type } from '@nestjs/common';
import type { Clock } from '../config/clock.js';
import type { RecordContext } from '../access/request-context.js';
import type { ErrorName } from '../errors/error-catalogue.js';
import { assertFound, invalidField, ServiceError } from '../errors/service-error.js';
import { assertRevision, type FieldChanges } from '../database/record.js';
import { mapInSteps, runInTurns } from '../http/turns.js';
import { createFrom } from '../validation/dto.js';
import type { BulkRequest, BulkResponse, ParsedRow, Row, Warning } from './bulk.dto.js';
import { linkRepeated } from './bulk.pipe.js';
import { deleted, failed, type Outcome, toBulkResponse, updated } from './outcome.js';
import type { UpsertQuery } from './routes.js';
import { newRecord, type StoredSyncedRecord, type SyncedRecord } from './synced-record.schema.js';
import type { SyncedRecords } from './synced.repository.js';

/**
 * How often a row is tried. In each pass, one of the requests that write the same record wins; the others wait for a random,
 * growing time and try again.
 */
const maxPasses = 40;
const backoffMilliseconds = 4;

/** What distinguishes the records of a service. */
interface SyncedKind<Stored, Create, Response> {
  readonly repository: SyncedRecords<Stored>;
  readonly clock: Clock;
  readonly createType: Type<Create>;
  readonly notFound: ErrorName;
  readonly toResponse: (record: Stored) => Response;
}

export interface StoredRows<Stored, Upsert> {
  readonly all: readonly Stored[];
  /** Returns the stored record of a row, or throws the error with which the row fails. */
  readonly of: (row: Row<Upsert>) => Stored | undefined;
}

/** How rows are written. */
type UpsertOptions = Partial<UpsertQuery & Pick<BulkRequest<unknown>, 'dryRun'>>;

/**
 * Base of the services of records that partners synchronize, including by their own IDs. `Stored` are the public fields of a
 * record, and `Related` the other records that requests name. External IDs of players are unique within a team: its ID is in
 * each input, and `place` adds it to the others.
 */
export abstract class SyncedService<
  Stored extends SyncedRecord,
  Upsert extends { externalId?: string | null },
  Create extends Upsert,
  Response,
  Related = undefined,
> {
  protected constructor(private readonly kind: SyncedKind<Stored, Create, Response>) {}

  /** Reads the other records that `build` and `change` need for all rows, with a constant number of queries. */
  protected abstract findRelated(
    context: RecordContext,
    inputs: readonly Upsert[],
    stored: readonly Stored[],
  ): Promise<Related>;

  /**
   * Builds the fields of a new record, except those of every record. It reads and writes nothing, as `change`.
   * @throws ServiceError with which the row fails
   */
  protected abstract build(input: Create, related: Related): Omit<Stored, keyof StoredSyncedRecord>;

  /**
   * Builds the changes of a stored record.
   * @throws ServiceError with which the row fails
   */
  protected abstract change(input: Upsert, stored: Stored, related: Related): FieldChanges<Stored>;

  /** Returns the IDs of those records that cannot be deleted, because others belong to them; only of teams. */
  protected findUsed?(context: RecordContext, records: readonly Stored[]): Promise<ReadonlyMap<string, string>>;

  /** Returns what a partner should know about records that are written; only of games. */
  protected findWarnings?(
    context: RecordContext,
    records: readonly Stored[],
  ): Promise<ReadonlyMap<Stored, readonly Warning[]>>;

  /** Creates a record, once per `idem-key`. */
  async create(context: RecordContext, input: Create): Promise<Response> {
    const record = this.newRecord(context, input, await this.findRelated(context, [input], []));
    const response = await this.respondTo(context, record);
    await this.kind.repository.insertIdempotent(context, record, context.idempotencyKey, response);
    context.onRevision?.(record.revision);
    return response;
  }

  /** Returns the response to a write of a record, with its warnings. */
  private async respondTo(context: RecordContext, record: Stored): Promise<Response> {
    const warnings = (await this.findWarnings?.(context, [record]))?.get(record);
    return { ...this.kind.toResponse(record), ...(warnings && { warnings }) };
  }

  async getByExternalId(context: RecordContext, externalId: string, place: object = {}): Promise<{ data: Response }> {
    const row = { ...place, externalId } as Row<Upsert>;
    const stored = await this.findStored(context, [row]);
    return { data: this.respond(context, assertFound(stored.of(row), this.kind.notFound)) };
  }

  /** Updates the record with an external ID, or creates it. */
  async upsert(
    context: RecordContext,
    externalId: string,
    { updateOnly }: UpsertQuery,
    input: Upsert,
  ): Promise<Response> {
    if (input.externalId !== undefined && input.externalId !== externalId)
      throw invalidField('externalId', 'externalId must equal the one in the path, or be omitted');
    const { result, record } = await this.writeRow(context, { ...input, externalId }, { updateOnly });
    if (result === 'created') context.onCreated?.();
    context.onRevision?.(record.revision);
    return this.respondTo(context, record);
  }

  async removeByExternalId(context: RecordContext, externalId: string, place: object = {}): Promise<void> {
    await this.writeRow(context, { ...place, externalId, delete: true } as Row<Upsert>, {});
  }

  /**
   * Creates, updates or deletes the record of each row. An invalid row, and one that other requests keep changing, fails
   * without affecting the others.
   */
  async bulkUpsert(
    context: RecordContext,
    { rows: sent, dryRun }: BulkRequest<object>,
    place: object = {},
  ): Promise<BulkResponse> {
    const placed = sent.map((each) => (each.row === undefined ? each : { ...each, row: { ...each.row, ...place } }));
    const rows = linkRepeated(placed as ParsedRow<Upsert>[], ({ externalId }) => externalId);
    const outcomes = await this.writeRows(context, rows, { dryRun });
    const kept = outcomes.flatMap((one) =>
      one.result === 'deleted' || one.result === 'failed' ? [] : (one.record ?? []),
    );
    return toBulkResponse(rows, outcomes, dryRun, await this.findWarnings?.(context, kept));
  }

  /** Finds the stored records of rows, with a constant number of queries. */
  protected async findStored(
    context: RecordContext,
    rows: readonly Row<Upsert>[],
  ): Promise<StoredRows<Stored, Upsert>> {
    const ids = rows.map(({ externalId }) => externalId);
    const all = await this.kind.repository.findByExternalIds(context, ids);
    const byExternalId = new Map(all.map((record) => [record.externalId, record]));
    return { all, of: ({ externalId }) => byExternalId.get(externalId) };
  }

  private async writeRow(context: RecordContext, row: Row<Upsert>, options: UpsertOptions) {
    const [outcome = failed()] = await this.writeRows(context, [{ row }], options);
    if (outcome.result === 'failed') throw outcome.error;
    const { result, record } = outcome;
    if (record === undefined) throw new ServiceError(this.kind.notFound);
    return { result, record };
  }

  /** Returns the response with one record, whose revision is sent as `ETag`. */
  protected respond(context: RecordContext, record: Stored): Response {
    context.onRevision?.(record.revision);
    return this.kind.toResponse(record);
  }

  /**
   * Writes all valid rows: one query for the existing records, a bulk write for new ones, and one for updates. Returns the
   * outcome of each row. A row gets another pass if another request has written its record since the query, or if it waits for
   * an earlier row that deletes the same external ID. Example: of `delete A`, `create A` and an invalid `B`, the first pass
   * deletes A, the second one creates A, and B fails with its own error. If A cannot be deleted, the row that creates it fails
   * with that error.
   */
  protected async writeRows(
    context: RecordContext,
    parsed: readonly ParsedRow<Upsert>[],
    options: UpsertOptions,
  ): Promise<Outcome<Stored>[]> {
    const valid = parsed.flatMap(({ row, after }) => (row === undefined ? [] : { row, after }));
    const outcomes = new Map<Row<Upsert>, Outcome<Stored>>();
    const outcomeOf = (row?: Row<Upsert>) => row && outcomes.get(row);
    const isFree = (after?: Row<Upsert>) => !after || (outcomeOf(after)?.result ?? 'failed') !== 'failed';
    for (let pass = 1; pass <= maxPasses; pass++) {
      const rows = valid.filter(({ row, after }) => !outcomes.has(row) && isFree(after)).map(({ row }) => row);
      if (rows.length === 0) break;
      if (pass > 1) await sleep(backoffMilliseconds * pass * Math.random());
      // After the first pass of a dry run, only rows after deletions are left, whose records count as deleted.
      const known = options.dryRun && pass > 1 ? [] : rows;
      const plans = await this.planRows(context, rows, await this.findStored(context, known), options);
      const writes = options.dryRun ? [] : plans.flatMap(([, { write }]) => write ?? []);
      const rejected = await this.kind.repository.writeAll(context, writes);
      const isDone = ({ write }: Outcome<Stored>) => write === undefined || !rejected.has(write);
      for (const [row, outcome] of plans) if (isDone(outcome)) outcomes.set(row, outcome);
    }
    return parsed.map(({ row, after, error }) => outcomeOf(row) ?? failed(outcomeOf(after)?.error ?? error));
  }

  private async planRows(
    context: RecordContext,
    rows: Row<Upsert>[],
    stored: StoredRows<Stored, Upsert>,
    options: UpsertOptions,
  ) {
    const deleted = rows.filter((row) => row.delete).flatMap((row) => stored.of(row) ?? []);
    const used = await this.findUsed?.(context, deleted);
    const others = { used, related: await this.findRelated(context, rows, stored.all) };
    const plan = (row: Row<Upsert>) => this.planRow(context, row, stored.of, others, options);
    return runInTurns(mapInSteps(rows, (row) => [row, plan(row)] as const));
  }

  /** Plans what to do with a row, which the error of a rule fails. */
  private planRow(
    context: RecordContext,
    row: Row<Upsert>,
    storedOf: StoredRows<Stored, Upsert>['of'],
    { related, used }: { readonly related: Related; readonly used?: ReadonlyMap<string, string> | undefined },
    { updateOnly }: UpsertOptions,
  ): Outcome<Stored> {
    try {
      const stored = storedOf(row);
      const now = this.kind.clock.now();
      if (row.delete) return stored ? deleted(context, stored, now, used) : { result: 'unchanged' };
      if (stored !== undefined) {
        assertRevision(context, stored);
        return updated(context, stored, this.change(row, stored, related), now);
      }
      if (updateOnly) throw new ServiceError(this.kind.notFound);
      if (context.ifMatch !== undefined) {
        const message = 'There is no record with this externalId, so If-Match cannot match';
        throw new ServiceError('revisionMismatch', { message });
      }
      const record = this.newRecord(context, createFrom(this.kind.createType, row), related);
      return { result: 'created', record, write: { record } };
    } catch (error) {
      if (!(error instanceof ServiceError) || error.status >= 500) throw error;
      return failed(error);
    }
  }

  /** Returns a record with its internal fields, which the response leaves out. */
  private newRecord(context: RecordContext, input: Create, related: Related): Stored {
    return { ...this.build(input, related), ...newRecord(context, this.kind.clock) } as unknown as Stored;
  }
}
