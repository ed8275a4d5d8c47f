import { isDeepStrictEqual } from 'node:util';
import type { Response } from 'supertest';
import type { FeedRow } from './feed.js';
import type { Stored } from './organization.js';

export const modelKinds = ['team', 'player', 'schedule'] as const;
export type ModelKind = (typeof modelKinds)[number];

/** The field in which a write leaves its token. */
export const tokenField = { team: 'name', player: 'name', schedule: 'teamTwoName' } as const;

/** A write of one record, with its place in the order of all starts and responses. */
interface Write {
  readonly token: string;
  /** The key that sends it. */
  readonly keyPrefix: string;
  readonly startedAt: number;
  /** Infinite while it is unknown whether it was applied, and when. */
  endedAt: number;
}

/** What is known about a record from the responses. */
interface Known {
  readonly acknowledged: Write[];
  deletedAt: number;
  mayBeDeleted: boolean;
  /** The key whose deletion was acknowledged. */
  deletedBy?: string;
}

/**
 * What the responses to concurrent writers promise about the final state. A write leaves a token that no other write
 * leaves, so that the last write of a record can be told from its fields.
 */
export class FeedModel {
  acknowledgedWrites = 0;
  /** How many writes and deletions may have been applied without a response that says so. */
  lost = 0;
  readonly violations: string[] = [];
  private readonly writes = new Map<string, Write>();
  private readonly records = new Map<string, Known>();
  /** The token of each revision that was ever seen, by `<id> <revision>`; empty for a deletion. */
  private readonly revisions = new Map<string, string>();
  private moment = 0;

  /** Starts a write. */
  start(keyPrefix: string): Write {
    const startedAt = ++this.moment;
    const write = { token: `w${startedAt}`, keyPrefix, startedAt, endedAt: Infinity };
    this.writes.set(write.token, write);
    return write;
  }

  /** Records that a write of a record was acknowledged. */
  acknowledge(write: Write, id: string): void {
    write.endedAt = ++this.moment;
    this.acknowledgedWrites++;
    const known = this.known(id);
    known.acknowledged.push(write);
    if (known.deletedAt < write.startedAt) this.violations.push(`${write.token} changed ${id} after its deletion`);
  }

  /** Records that a write was rejected and has left nothing. */
  reject(write: Write): void {
    this.writes.delete(write.token);
  }

  /** Records a response with a record: each revision is the result of exactly one write. */
  see(kind: ModelKind, record: Record<string, unknown> & { _id: string }): void {
    const token = String(record[tokenField[kind]]);
    this.seeRevision(record._id, Number(record['revision']), token);
    const { keyPrefix } = (record['changedBy'] ?? {}) as { keyPrefix?: string };
    const author = this.writes.get(token)?.keyPrefix;
    if (author !== undefined && author !== keyPrefix)
      this.violations.push(`${record._id} with ${token} of ${author} is by ${String(keyPrefix)}`);
  }

  /** Records that a write with a token led to a revision; a deletion has no token. */
  seeRevision(id: string, revision: number, token = ''): void {
    const name = `${id} ${revision}`;
    const before = this.revisions.get(name) ?? token;
    if (before !== token) this.violations.push(`revision ${name} is both ${before} and ${token}`);
    this.revisions.set(name, token);
  }

  /** Records the tombstone of a record, after all responses. */
  seeDeletion({ id, revision = 0, changedBy }: FeedRow): void {
    this.seeRevision(id, revision);
    const { deletedBy } = this.known(id);
    // A lost request may have deleted any other record.
    if (deletedBy === undefined ? this.lost === 0 : deletedBy !== changedBy?.keyPrefix)
      this.violations.push(`${id} was deleted by ${String(deletedBy)}, not by ${JSON.stringify(changedBy)}`);
  }

  /** Returns how many revisions were never seen, of all records from the first revision to the last one that was. */
  get unseenRevisions(): number {
    const last = new Map<string, number>();
    for (const name of this.revisions.keys()) {
      const [id = '', revision] = name.split(' ');
      last.set(id, Math.max(last.get(id) ?? 0, Number(revision)));
    }
    return [...last.values()].reduce((sum, revision) => sum + revision, 0) - this.revisions.size;
  }

  /** Records a deletion with a key; without a response it may or may not have happened. */
  delete(id: string, keyPrefix: string, isAcknowledged: boolean): void {
    const known = this.known(id);
    known.mayBeDeleted = true;
    if (!isAcknowledged) return;
    this.acknowledgedWrites++;
    known.deletedBy = keyPrefix;
    known.deletedAt = Math.min(known.deletedAt, ++this.moment);
  }

  /** Returns what contradicts the responses in the final records of a kind. */
  problemsOf(kind: ModelKind, records: readonly Stored[]): string[] {
    for (const record of records) this.see(kind, record);
    return records.flatMap((record) => {
      const { acknowledged, deletedAt } = this.known(record._id);
      const token = String(record[tokenField[kind]]);
      const last = this.writes.get(token);
      if (deletedAt < Infinity) return [`${kind} ${record._id} exists after its deletion`];
      if (last === undefined) return [`${kind} ${record._id} has ${token}, which was rejected or never sent`];
      const isForeign = last.endedAt < Infinity && !acknowledged.includes(last);
      if (isForeign) return [`${kind} ${record._id} has ${token} of another record`];
      const lost = acknowledged.filter(({ startedAt }) => startedAt > last.endedAt);
      return lost.map((write) => `${kind} ${record._id} has ${token} and lost ${write.token}`);
    });
  }

  /** Returns the records that were acknowledged and not deleted, but do not exist. */
  missingAmong(ids: ReadonlySet<string>): string[] {
    return [...this.records].flatMap(([id, { mayBeDeleted }]) => (mayBeDeleted || ids.has(id) ? [] : [id]));
  }

  private known(id: string): Known {
    const known = this.records.get(id) ?? {
      acknowledged: [],
      deletedAt: Infinity,
      mayBeDeleted: false,
    };
    this.records.set(id, known);
    return known;
  }
}

/**
 * Returns what is wrong in the rows that one reader got, in their order: a revision of a record that goes back, a deleted one
 * that returns, and a row that differs from its record. The records are compared with the responses, too.
 */
export function checkDeliveries(model: FeedModel, rows: readonly FeedRow[]): string[] {
  const violations: string[] = [];
  const last = new Map<string, { revision: number; deleted: boolean }>();
  for (const row of rows) {
    const { kind, id, revision = 0, deleted, record } = row;
    if (kind === 'season' || kind === 'playerStatistics') continue;
    const before = last.get(id) ?? { revision: 0, deleted: false };
    const isBack = revision < before.revision || (before.deleted && !deleted);
    if (isBack) violations.push(`${kind} ${id} went from ${JSON.stringify(before)} to ${revision}`);
    last.set(id, { revision, deleted });
    if (record !== undefined) model.see(kind, record);
    const isSame = record === undefined || isDeepStrictEqual(row.changedBy, record['changedBy']);
    if (!isSame) violations.push(`${kind} ${id} has ${JSON.stringify(row.changedBy)} in its row`);
  }
  return violations;
}

/** Sends a request; undefined if there is no response, because the server was killed. */
export function sendUnlessKilled(send: () => PromiseLike<Response>): Promise<Response | undefined> {
  return Promise.resolve(send()).catch(() => undefined);
}

/**
 * Whether a response says if the request was applied: not if the database did not answer in time, or an earlier request
 * with its `idem-key` is still in progress.
 */
export function isConclusive(response: Response | undefined): response is Response {
  if (response === undefined || response.status === 503) return false;
  return (response.body as { error?: number }).error !== 40902;
}
