import type { Type } from '@nestjs/common';
import type { Clock } from '../common/clock.js';
import type { OrganizationScope, RequestContext } from '../common/context/request-context.js';
import { type CatalogueEntry, errorCatalogue } from '../common/errors/error-catalogue.js';
import { invalidField, ServiceError } from '../common/errors/service-error.js';
import type { FieldChanges, StoredRecord, SyncedRecord } from '../database/record.js';
import { assertRevision, firstRevision } from '../database/revision.js';
import type { BulkWrite } from '../idempotency/idempotent.repository.js';
import { parseRows, type Row, toCreate } from './bulk-rows.js';
import type { BulkRequest, BulkResponse } from './bulk.dto.js';

/** How often a row is planned and written if other requests create, change or delete its record meanwhile. */
const maxAttempts = 10;

/** Turns rows into records. Both functions are pure, and throw a `ServiceError` to refuse a row. */
interface RowRules<T, S, R, C> {
  /** Builds the record of a row that does not exist yet. */
  readonly create: (row: C) => T;
  /** Builds the changes of the stored record of a row. */
  readonly change: (row: R, stored: S) => FieldChanges<T>;
}

/** What distinguishes one kind of records: `T` as stored, `S` their public fields, `R` a row, `C` a create request, `J` the response. */
interface SyncedKind<T, S, R, C, J> {
  readonly repository: {
    findByExternalIds(scope: OrganizationScope, externalIds: readonly string[], values: object): Promise<S[]>;
    writeAll(scope: OrganizationScope, writes: readonly BulkWrite<T>[]): Promise<ReadonlySet<BulkWrite<T>>>;
  };
  readonly clock: Clock;
  readonly rowType: Type<R>;
  readonly createType: Type<C>;
  readonly toResponse: (record: S) => J;
  readonly notFound: CatalogueEntry;
  /** The values that all records share, such as the team of players. */
  readonly values?: object;
  /** Reads what the rules need for all rows, with a constant number of queries. */
  readonly loadRules: (rows: readonly R[], stored: readonly S[]) => Promise<RowRules<T, S, R, C>>;
}

/** What happened to a row: it has an error, or else the record as it is now. */
type Outcome<S> =
  | { readonly result: 'created' | 'updated' | 'unchanged'; readonly record: S }
  | { readonly result: 'refused'; readonly error: ServiceError };

interface Plan<T, S> {
  readonly outcome: Outcome<S>;
  readonly write?: BulkWrite<T>;
}

interface UpsertOptions {
  readonly updateOnly?: boolean;
  readonly dryRun?: boolean;
}

/** Reads, creates and updates records by the partner's own IDs. */
export class RecordSync<
  T extends StoredRecord,
  S extends SyncedRecord,
  R extends { externalId?: string | null },
  C extends object,
  J,
> {
  constructor(
    private readonly context: RequestContext,
    private readonly kind: SyncedKind<T, S, R, C, J>,
  ) {}

  /**
   * Returns the record with an external ID.
   * @throws ServiceError 404
   */
  async get(externalId: string): Promise<{ data: J }> {
    const { repository, values = {}, notFound, toResponse } = this.kind;
    const [record] = await repository.findByExternalIds(this.context, [externalId], values);
    if (record === undefined) throw new ServiceError(notFound);
    return { data: toResponse(record) };
  }

  /**
   * Updates the record with an external ID, or creates it.
   * @throws ServiceError 40001 if the body names another external ID; 404 with `updateOnly`; 41201; the errors of the rules
   */
  async upsert(externalId: string, updateOnly: boolean, input: R): Promise<{ isNew: boolean; response: J }> {
    if (input.externalId !== undefined && input.externalId !== externalId)
      throw invalidField('externalId', 'externalId must be the one in the path; omit it');
    const row = { index: 0, externalId, input: { ...input, externalId } };
    const outcome = (await this.upsertRows([row], { updateOnly }))(row);
    if (outcome.result === 'refused') throw outcome.error;
    return { isNew: outcome.result === 'created', response: this.kind.toResponse(outcome.record) };
  }

  /**
   * Creates or updates the record of each row. An invalid row is refused without affecting the others.
   * @throws ServiceError 503
   */
  async bulkUpsert({ rows, dryRun }: BulkRequest): Promise<BulkResponse> {
    const parsed = parseRows(rows, this.kind.rowType);
    const valid = parsed.flatMap((row) => ('input' in row ? [row] : []));
    const outcomeOf = await this.upsertRows(valid, { dryRun });
    const summary = { created: 0, updated: 0, unchanged: 0, refused: 0 };
    const data = parsed.map((row) => {
      const { index, externalId } = row;
      const outcome = 'input' in row ? outcomeOf(row) : ({ result: 'refused', error: row.error } as const);
      summary[outcome.result]++;
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
   * another request created, changed or deleted meanwhile. Returns the outcomes by row.
   */
  private async upsertRows(rows: readonly Row<R>[], options: UpsertOptions): Promise<(row: Row<R>) => Outcome<S>> {
    const outcomes = new Map<Row<R>, Outcome<S>>();
    let pending = rows;
    for (let attempt = 1; pending.length > 0 && attempt <= maxAttempts; attempt++) {
      const plans = await this.plan(pending, options);
      const writes = plans.flatMap(({ write }) => (write === undefined || options.dryRun ? [] : [write]));
      const rejected = await this.kind.repository.writeAll(this.context, writes);
      const isOpen = ({ write }: Plan<T, S>) => write !== undefined && rejected.has(write);
      for (const plan of plans) if (!isOpen(plan)) outcomes.set(plan.row, plan.outcome);
      pending = plans.filter(isOpen).map(({ row }) => row);
    }
    const message = 'The record is being changed by other requests; try again';
    const error = new ServiceError(errorCatalogue.overloaded, { message });
    return (row) => outcomes.get(row) ?? { result: 'refused', error };
  }

  /** Reads the records of rows, and plans what to do. */
  private async plan(rows: readonly Row<R>[], options: UpsertOptions): Promise<(Plan<T, S> & { row: Row<R> })[]> {
    const { repository, values = {}, loadRules } = this.kind;
    const externalIds = rows.map(({ externalId }) => externalId);
    const found = await repository.findByExternalIds(this.context, externalIds, values);
    const byExternalId = new Map(found.map((record) => [record.externalId, record]));
    const inputs = rows.map(({ input }) => input);
    const rules = await loadRules(inputs, found);
    return rows.map((row) => {
      const stored = byExternalId.get(row.externalId);
      try {
        if (stored === undefined) return { row, ...this.planCreate(row.input, rules, options) };
        return { row, ...this.planUpdate(row.input, stored, rules) };
      } catch (error) {
        if (!(error instanceof ServiceError) || error.status >= 500) throw error;
        return { row, outcome: { result: 'refused', error } };
      }
    });
  }

  private planCreate(input: R, { create }: RowRules<T, S, R, C>, { updateOnly }: UpsertOptions): Plan<T, S> {
    if (updateOnly) throw new ServiceError(this.kind.notFound);
    if (this.context.ifMatch !== undefined) throw new ServiceError(errorCatalogue.revisionMismatch);
    const record = create(toCreate(this.kind.createType, input));
    return { outcome: { result: 'created', record: record as unknown as S }, write: { record } };
  }

  private planUpdate(input: R, stored: S, { change }: RowRules<T, S, R, C>): Plan<T, S> {
    assertRevision(this.context, stored);
    const differing = differences(change(input, stored), stored);
    if (Object.keys(differing).length === 0) return { outcome: { result: 'unchanged', record: stored } };
    const { _id: id, revision } = stored;
    const changes = { ...differing, revision: (revision ?? firstRevision) + 1, updatedAt: this.kind.clock.now() };
    const record = Object.assign({}, stored, changes);
    return { outcome: { result: 'updated', record }, write: { id, revision, changes } };
  }
}

/** Returns the changes that differ from the stored record. */
function differences<T>(changes: FieldChanges<T>, stored: object): FieldChanges<T> {
  const current = stored as Readonly<Record<string, unknown>>;
  // As JSON, because IDs and times are objects.
  const isDifferent = ([field, value]: [string, unknown]) =>
    value !== undefined && JSON.stringify(value) !== JSON.stringify(current[field] ?? null);
  return Object.fromEntries(Object.entries(changes).filter(isDifferent)) as FieldChanges<T>;
}

function toRowError({ entry, message, details }: ServiceError) {
  return { error: entry.code, message, ...(details && { details }) };
}
