/** One call of a repository, and what the database may do for it. */
export interface QueryCase {
  readonly name: string;
  readonly call: () => Promise<unknown>;
  /** The indexes that must serve it: each is in a plan of one of its commands. */
  readonly indexes: readonly string[];
  /** How many documents it may read at most, but for the counting of a list's total. */
  readonly documents: number;
  /** How many entries of indexes it may read at most, but for the counting; left out: it is not held to a number. */
  readonly keys?: number;
  /** How many documents the counting of the total may read: those that it counts, since `deletedAt` is compared with null. */
  readonly counted?: number;
  /** True where no index is promised to serve the order, since only few are ever sorted. */
  readonly sorts?: boolean;
}

export const page = { page: 1, limit: 20 };
export const byId = ['_id_'];
