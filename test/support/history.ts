import { isDeepStrictEqual } from 'node:util';
import type { Stored, TestOrganization } from './organization.js';
import { eventuallyPasses } from './processes.js';

/** A change in the history of a record. */
export interface HistoryEntry {
  revision: number;
  at: string;
  changedBy?: object;
  action: 'created' | 'updated' | 'deleted' | 'moved';
  changes: { field: string; from?: unknown; to?: unknown }[];
}

interface HistoryPage {
  data: HistoryEntry[];
  nextCursor?: string;
}

/** Reads the whole history below a path, oldest first, in pages. */
export async function readHistory(organization: TestOrganization, path: string, limit = 100): Promise<HistoryEntry[]> {
  const all: HistoryEntry[] = [];
  let cursor: string | undefined;
  do {
    const response = await organization.call('get', `${path}/history`).query({ limit, ...(cursor && { cursor }) });
    if (response.status !== 200) throw new Error(`${response.status} ${response.text}`);
    const page = response.body as HistoryPage;
    all.push(...page.data);
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return all.reverse();
}

/** Waits until a history has a revision, and returns it, oldest first. */
export async function historyUntil(organization: TestOrganization, path: string, revision: number) {
  let history: HistoryEntry[] = [];
  await eventuallyPasses(async () => {
    history = await readHistory(organization, path);
    expect(history.at(-1)?.revision).toBe(revision);
  }, 20);
  return history;
}

const beside = ['_id', 'organizationId', 'createdAt', 'updatedAt', 'revision', 'changedBy'];

/** Returns the record without the fields that a history does not have. */
export function historyFieldsOf(kind: string, record: Stored): Record<string, unknown> {
  const hidden = kind === 'schedule' ? [...beside, 'teamId', 'warnings'] : beside;
  return Object.fromEntries(Object.entries(record).filter(([name]) => !hidden.includes(name)));
}

/**
 * Applies the changes of a whole history, oldest first. Returns the record at each revision, and what contradicts the changes
 * before: a `from` that is not the value, a change that changes nothing, or a missing revision.
 */
export function foldHistory(history: readonly HistoryEntry[]) {
  const record: Record<string, unknown> = {};
  const problems: string[] = [];
  const revisions = new Map<number, Record<string, unknown>>();
  for (const [index, { revision, action, changes }] of history.entries()) {
    if (revision !== index + 1 || (action === 'created') !== (index === 0)) problems.push(`${revision}: ${action}`);
    // Only players have a team that can change.
    const isMoved = changes.some(({ field }) => field === 'teamId') && !['created', 'deleted'].includes(action);
    if (isMoved !== (action === 'moved')) problems.push(`${revision}: ${action}, moved: ${isMoved}`);
    for (const { field, from, to } of changes) {
      const before = action === 'created' ? undefined : (record[field] ?? null);
      if (!isDeepStrictEqual(from, before) || isDeepStrictEqual(from, to)) problems.push(`${revision}: ${field}`);
      if (to === null) Reflect.deleteProperty(record, field);
      else record[field] = to;
    }
    revisions.set(revision, { ...record });
  }
  return { revisions, problems };
}
