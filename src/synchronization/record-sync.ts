import type { Type } from '@nestjs/common';
import type { Clock } from '../common/clock.js';
import type { IdempotencyKey, RequestContext } from '../common/context/request-context.js';
import { type CatalogueEntry, errorCatalogue } from '../common/errors/error-catalogue.js';
import { invalidField, ServiceError } from '../common/errors/service-error.js';
import { changesOf, type FieldChanges, type SyncedRecord } from '../database/record.js';
import { assertRevision, firstRevision } from '../database/revision.js';
import { type IdempotentRecord, newRecord } from '../idempotency/idempotent-record.schema.js';
import type { BulkWrite } from '../idempotency/idempotent.repository.js';
import { parseRows, type Row, toCreate } from './upsert-rows.js';
import type { BulkRequest, BulkResponse } from './bulk.dto.js';
import type { Upserted } from './conditional.interceptor.js';
import type { UpsertQuery } from './routes.js';

/** How many times at most a row is planned and written while other requests create, change or delete its record. */
const maxAttempts = 10;

/** Turns rows into records or changes. Both functions are pure, and throw a `ServiceError` to refuse a row. */
interface Rules<S, U, C> {
  /** Builds the fields of a new record, except those of every record. */
  readonly create: (input: C) => Omit<S, keyof IdempotentRecord>;
  /** Builds the changes of a stored record. */
  readonly change: (input: U, stored: S) => FieldChanges<S>;
}

/** What distinguishes one kind of records: `S` their public fields, `U` an upsert, `C` a create request, `R` the response. */
interface SyncedKind<S, U, C, R> {
  readonly repository: {
    findByExternalIds(scope: RequestContext, externalIds: readonly string[], parent: object): Promise<S[]>;
    insertIdempotent(scope: RequestContext, record: S, key: IdempotencyKey | undefined, body: unknown): Promise<void>;
    writeAll(scope: RequestContext, writes: readonly BulkWrite<S>[]): Promise<ReadonlySet<BulkWrite<S>>>;
  };
  readonly clock: Clock;
  readonly rowType: Type<U>;
  readonly createType: Type<C>;
  readonly toResponse: (record: S) => R;
  readonly notFound: CatalogueEntry;
  /** The parent within which external IDs are unique, such as the team of players; see `parents` of the schema. */
  readonly parent?: object;
  /** Reads what the rules need for all rows, with a constant number of queries. */
  readonly loadRules: (inputs: readonly U[], stored: readonly S[]) => Rules<S, U, C> | Promise<Rules<S, U, C>>;
}

/** What to do with a row: refuse it with an error, or write the record, unless it is unchanged. */
type Plan<S> =
  | { readonly result: 'created' | 'updated' | 'unchanged'; readonly record: S; readonly write?: BulkWrite<S> }
  | { readonly result: 'refused'; readonly error: ServiceError; readonly write?: undefined };

type UpsertOptions = Partial<UpsertQuery & Pick<BulkRequest, 'dryRun'>>;

/** Creates records, and reads and upserts them by the partner's own IDs. */
export class RecordSync<S extends SyncedRecord, U extends { externalId?: string | null }, C extends U, R> {
  constructor(
    private readonly context: RequestContext,
    private readonly kind: SyncedKind<S, U, C, R>,
  ) {}

  /**
   * Creates a record, once per `idem-key`.
   * @throws ServiceError 40905; the errors of the rules
   */
  async create(input: C): Promise<R> {
    const { repository, loadRules, toResponse } = this.kind;
    const record = this.buildRecord(input, await loadRules([input], []));
    const response = toResponse(record);
    await repository.insertIdempotent(this.context, record, this.context.idempotencyKey, response);
    return response;
  }

  /**
   * Returns the record with an external ID.
   * @throws ServiceError 404
   */
  async get(externalId: string): Promise<{ data: R }> {
    const { repository, parent = {}, notFound, toResponse } = this.kind;
    const [record] = await repository.findByExternalIds(this.context, [externalId], parent);
    if (record === undefined) throw new ServiceError(notFound);
    return { data: toResponse(record) };
  }

  /**
   * Updates the record with an external ID, or creates it.
   * @throws ServiceError 40001 if the body names another external ID; 404 with `updateOnly`; 41201; 50302 if other requests
   * keep changing the record; the errors of the rules
   */
  async upsert(externalId: string, { updateOnly }: UpsertQuery, input: U): Promise<Upserted<R>> {
    if (input.externalId !== undefined && input.externalId !== externalId)
      throw invalidField('externalId', 'externalId must equal the one in the path, or be omitted');
    const row = { ...input, externalId };
    const outcome = (await this.upsertRows([row], { updateOnly }))(row);
    if (outcome.result === 'refused') throw outcome.error;
    return { isNew: outcome.result === 'created', record: this.kind.toResponse(outcome.record) };
  }

  /**
   * Creates or updates the record of each row. An invalid row, and one that other requests keep changing, is refused
   * without affecting the others.
   * @throws ServiceError 50301
   */
  async bulkUpsert({ rows, dryRun }: BulkRequest): Promise<BulkResponse> {
    const parsed = parseRows(rows, this.kind.rowType);
    const valid = parsed.flatMap((one) => ('row' in one ? [one.row] : []));
    const outcomeOf = await this.upsertRows(valid, { dryRun });
    const summary = { created: 0, updated: 0, unchanged: 0, refused: 0 };
    const data = parsed.map((one, index) => {
      const outcome = 'row' in one ? outcomeOf(one.row) : ({ result: 'refused', error: one.error } as const);
      summary[outcome.result]++;
      const { externalId } = one;
      const response = { index, ...(externalId !== undefined && { externalId }), result: outcome.result };
      if (outcome.result === 'refused') return { ...response, error: toRowError(outcome.error) };
      // A dry run creates no record, and therefore no ID.
      const hasId = !dryRun || outcome.result !== 'created';
      return { ...response, ...(hasId && { _id: outcome.record._id.toHexString() }) };
    });
    return { data, summary, dryRun };
  }

  /**
   * Writes all rows: one query for the existing records, and one bulk write. Both are repeated for rows whose record
   * another request created, changed or deleted meanwhile. Returns a function that returns the outcome of a row.
   */
  private async upsertRows(rows: readonly Row<U>[], options: UpsertOptions): Promise<(row: Row<U>) => Plan<S>> {
    const outcomes = new Map<Row<U>, Plan<S>>();
    for (let attempt = 1, pending = rows; pending.length > 0 && attempt <= maxAttempts; attempt++) {
      const plans = await this.planRows(pending, options);
      const writes = options.dryRun ? [] : [...plans.values()].flatMap(({ write }) => write ?? []);
      const rejected = await this.kind.repository.writeAll(this.context, writes);
      const mustRetry = ({ write }: Plan<S>) => write !== undefined && rejected.has(write);
      for (const [row, plan] of plans) if (!mustRetry(plan)) outcomes.set(row, plan);
      pending = pending.filter((row) => !outcomes.has(row));
    }
    const message = 'The record is being changed by other requests; try again';
    const error = new ServiceError(errorCatalogue.overloaded, { message });
    return (row) => outcomes.get(row) ?? { result: 'refused', error };
  }

  /** Reads the records of rows, and plans what to do. */
  private async planRows(rows: readonly Row<U>[], options: UpsertOptions): Promise<Map<Row<U>, Plan<S>>> {
    const { repository, parent = {}, loadRules } = this.kind;
    const externalIds = rows.map(({ externalId }) => externalId);
    const found = await repository.findByExternalIds(this.context, externalIds, parent);
    const byExternalId = new Map(found.map((record) => [record.externalId, record]));
    const rules = await loadRules(rows, found);
    const plan = (row: Row<U>): Plan<S> => {
      const stored = byExternalId.get(row.externalId);
      try {
        return stored === undefined ? this.planCreate(row, rules, options) : this.planUpdate(row, stored, rules);
      } catch (error) {
        if (!(error instanceof ServiceError) || error.status >= 500) throw error;
        return { result: 'refused', error };
      }
    };
    return new Map(rows.map((row) => [row, plan(row)]));
  }

  private planCreate(row: U, rules: Rules<S, U, C>, { updateOnly }: UpsertOptions): Plan<S> {
    if (updateOnly) throw new ServiceError(this.kind.notFound);
    if (this.context.ifMatch !== undefined) {
      const message = 'There is no record with this externalId, so If-Match cannot match';
      throw new ServiceError(errorCatalogue.revisionMismatch, { message });
    }
    const record = this.buildRecord(toCreate(this.kind.createType, row), rules);
    return { result: 'created', record, write: { record } };
  }

  /** Returns a record with its internal fields, which the response leaves out. */
  private buildRecord(input: C, { create }: Rules<S, U, C>): S {
    return { ...create(input), ...newRecord(this.context, this.kind.clock) } as unknown as S;
  }

  private planUpdate(row: U, stored: S, { change }: Rules<S, U, C>): Plan<S> {
    assertRevision(this.context, stored);
    const differing = changesOf(stored, change(row, stored));
    if (Object.keys(differing).length === 0) return { result: 'unchanged', record: stored };
    const { _id: id, revision } = stored;
    const changes = { ...differing, revision: (revision ?? firstRevision) + 1, updatedAt: this.kind.clock.now() };
    return { result: 'updated', record: Object.assign({}, stored, changes), write: { id, revision, changes } };
  }
}

function toRowError({ entry, message, details }: ServiceError) {
  return { error: entry.code, message, ...(details && { details }) };
}
