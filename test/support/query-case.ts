/** A call of a repository, and the limits of its queries. */
export interface QueryCase {
  readonly name: string;
  readonly call: () => Promise<unknown>;
  /** Indexes that must be in the plans of its commands. */
  readonly indexes: readonly string[];
  /** How many documents it may examine, without counting the total. */
  readonly documents: number;
  /** How many index keys it may examine, without counting; unlimited if omitted. */
  readonly keys?: number;
  /** How many documents counting may examine: those that it counts, because `deletedAt` is compared with null. */
  readonly counted?: number;
  /** True if no index serves the order, because only few records are ever sorted, such as one with an external ID. */
  readonly sorts?: boolean;
}

export const page = { page: 1, limit: 20 };
export const byId = ['_id_'];
export const oneById = { indexes: byId, documents: 1 };

/** A query case from its parts. */
export function query(name: string, limits: Omit<QueryCase, 'name' | 'call'>, call: QueryCase['call']): QueryCase {
  return { name, call, ...limits };
}
