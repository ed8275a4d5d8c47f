import type { RecordContext } from '../access/request-context.js';
import type { BulkRequest, Row } from './bulk.dto.js';
import type { UpsertQuery } from './routes.js';
import type { SyncedRecord } from './synced-record.schema.js';
import type { SyncedRecords } from './synced.repository.js';

/** The record, such as a team, within which external IDs are unique. */
export type Parent = Readonly<Record<string, string>>;

/** Where the records of rows are. */
export interface RowParents<S, U> {
  /** Returns the parent in which a row creates its record; undefined for records without one. */
  parentOf(row: Row<U>): Parent | undefined;
  /** Finds the stored records of rows, with a constant number of queries. */
  findStored(rows: readonly Row<U>[]): Promise<StoredRows<S, U>>;
}

export interface StoredRows<S, U> {
  readonly all: readonly S[];
  /** Returns the stored record of a row, or throws the error with which the row fails. */
  readonly of: (row: Row<U>) => S | undefined;
}

/** How rows are written. */
export type UpsertOptions<S, U> = Partial<UpsertQuery & Pick<BulkRequest<unknown>, 'dryRun'>> & {
  readonly parents: RowParents<S, U>;
};

/** Rows of which all have the same parent, or none. */
export function rowsIn<S extends SyncedRecord, U>(
  context: RecordContext,
  repository: SyncedRecords<S>,
  parent: Parent | undefined,
): RowParents<S, U> {
  return {
    parentOf: () => parent,
    findStored: async (rows) => {
      const ids = rows.map(({ externalId }) => externalId);
      const all = await repository.findByExternalIds(context, ids, parent);
      const byExternalId = new Map(all.map((record) => [record.externalId, record]));
      return { all, of: ({ externalId }) => byExternalId.get(externalId) };
    },
  };
}
