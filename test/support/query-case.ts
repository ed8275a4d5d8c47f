import { unconditional } from '../../src/access/request-context.js';
import { type Session, Transactions } from '../../src/database/transaction.js';
import type { TestApplication } from './application.js';

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

type Limits = Omit<QueryCase, 'name' | 'call'>;

export const page = { page: 1, limit: 20 };
export const byId = ['_id_'];
export const oneById = { indexes: byId, documents: 1 };

/** Returns what creates query cases of calls in a transaction. */
export function transactionsOf(application: TestApplication) {
  const transactions = application.get(Transactions);
  return (limits: Limits, work: (session: Session) => Promise<unknown>): QueryCase => {
    return { ...query(limits, () => transactions.run(unconditional, work)), name: String(work) };
  };
}

/** A query case, with the source of its call as its name. */
export function query(limits: Limits, call: QueryCase['call']): QueryCase {
  return { name: String(call), call, ...limits };
}
