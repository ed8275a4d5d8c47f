import { type Db, ObjectId } from 'mongodb';
import type { Response } from 'supertest';
import type { TestOrganization } from './organization.js';
import { eventually } from './processes.js';

/** A row of the change feed. */
export interface FeedRow {
  kind: 'season' | 'team' | 'player' | 'schedule' | 'playerStatistics';
  id: string;
  externalId?: string;
  teamId?: string;
  revision?: number;
  deleted: boolean;
  changedBy?: { type: string; name?: string; keyPrefix?: string };
  changedAt: string;
  record?: Record<string, unknown> & { _id: string };
}

/** A page of the change feed. */
export interface FeedPage {
  data: FeedRow[];
  nextCursor: string;
  hasMore: boolean;
}

/** The kinds with the collections and fields that they come from. */
const feedSources = [
  ['season', 'seasons', 'updatedAt'],
  ['team', 'teams', 'updatedAt'],
  ['player', 'players', 'updatedAt'],
  ['schedule', 'schedules', 'updatedAt'],
  ['playerStatistics', 'schedules', 'statisticsWrittenAt'],
] as const;

/** Sends a request for a page of the feed. */
export function callFeed(organization: TestOrganization, query: Record<string, string> = {}) {
  return organization.call('get', '/changes').query(query);
}

/** Reads a page; retries 503, which the feed answers until it is built and a busy database at any time. */
export async function readFeedPage(
  organization: TestOrganization,
  query: Record<string, string> = {},
): Promise<FeedPage> {
  let response: Response | undefined;
  const isServed = async () => (response = await callFeed(organization, query)).status !== 503;
  await eventually('the feed is served', isServed, 60);
  if (response?.status !== 200) throw new Error(`${String(response?.status)} ${JSON.stringify(response?.body)}`);
  return response.body as FeedPage;
}

/** Reads pages from a cursor, or from the beginning, until there are no more. */
export async function readFeed(
  organization: TestOrganization,
  query: Record<string, string> = {},
): Promise<{ rows: FeedRow[]; nextCursor: string; pages: FeedPage[] }> {
  const pages = [await readFeedPage(organization, query)];
  for (let last = pages[0]; last?.hasMore === true;) {
    last = await readFeedPage(organization, { ...query, cursor: last.nextCursor });
    pages.push(last);
  }
  return { rows: pages.flatMap(({ data }) => data), nextCursor: pages.at(-1)?.nextCursor ?? '', pages };
}

/**
 * A copy of an organization that is built only from its feed, as a partner would: it drops rows with a revision that it
 * already has.
 */
export class FeedMirror {
  /** The records that are not deleted, by `<kind> <id>`. */
  readonly rows = new Map<string, FeedRow>();
  /** All rows that were delivered, in order. */
  readonly delivered: FeedRow[] = [];
  private cursor: string | undefined;

  constructor(
    private organization: TestOrganization,
    private readonly query: Record<string, string> = {},
  ) {}

  /** Continues over another replica. */
  switchTo(organization: TestOrganization): void {
    this.organization = organization;
  }

  /** Reads what has changed since the last time, optionally through another replica. */
  async follow(organization = this.organization): Promise<FeedRow[]> {
    const start = this.cursor === undefined ? {} : { cursor: this.cursor };
    const { rows, nextCursor } = await readFeed(organization, { ...this.query, ...start });
    this.cursor = nextCursor;
    for (const row of rows) this.apply(row);
    return rows;
  }

  /** Follows the feed until a condition holds. */
  async followUntil(what: string, holds: () => boolean, withinSeconds = 20): Promise<void> {
    await eventually(
      what,
      async () => {
        await this.follow();
        return holds();
      },
      withinSeconds,
    );
  }

  /** Returns where the copy differs from the stored records, of which all are compared. */
  async differencesFrom(database: Db): Promise<string[]> {
    const organizationId = { $in: [new ObjectId(this.organization.id), null] };
    const stored = new Map<string, string>();
    for (const [kind, collection, changedAt] of feedSources) {
      const live = { organizationId, deletedAt: null, [changedAt]: { $exists: true } };
      for (const record of await database.collection(collection).find(live).toArray()) {
        const updated = record['updatedAt'] as Date;
        stored.set(`${kind} ${String(record._id)}`, kind === 'playerStatistics' ? 'written' : updated.toISOString());
      }
    }
    const names = [...new Set([...stored.keys(), ...this.rows.keys()])];
    return names.flatMap((name) => {
      const row = this.rows.get(name);
      const copied = row?.kind === 'playerStatistics' ? 'written' : row?.record?.['updatedAt'];
      return copied === stored.get(name) ? [] : [`${name}: ${String(stored.get(name))}, copied ${String(copied)}`];
    });
  }

  /** Follows the feed until the copy equals the stored records. */
  async followUntilEqual(database: Db, withinSeconds = 30): Promise<void> {
    let differences: string[] = [];
    const isEqual = async () => {
      await this.follow();
      differences = await this.differencesFrom(database);
      return differences.length === 0;
    };
    await eventually('the copy equals the stored records', isEqual, withinSeconds).catch((error: unknown) => {
      throw new Error(`${String(error)}:\n${differences.slice(0, 20).join('\n')}`);
    });
  }

  /** Returns the record of a kind and ID, if it exists. */
  get(kind: FeedRow['kind'], id: string): FeedRow | undefined {
    return this.rows.get(`${kind} ${id}`);
  }

  private apply(row: FeedRow): void {
    this.delivered.push(row);
    const name = `${row.kind} ${row.id}`;
    const known = this.rows.get(name);
    if (row.deleted) this.rows.delete(name);
    else if (known?.revision === undefined || row.revision === undefined || row.revision >= known.revision) {
      this.rows.set(name, row);
    }
  }
}
