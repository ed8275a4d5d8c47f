/**
 * Synchronizes teams and players, for example every night; copy and adapt it. Every step can be repeated: if a run is
 * interrupted, start it again.
 *
 *   API=http://localhost:3000/v1/public-api API_KEY=… node nightly-sync.ts export.json mirror.json
 *
 * `export.json` has the records of your system (see `Export`), `mirror.json` becomes a copy of the organization. Requires
 * Node.js 22.18 or later, which runs TypeScript, and no packages.
 */
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/** A body of `POST`, with your own ID. An update keeps the fields that a row does not have. */
type Row = Record<string, unknown> & { externalId: string };
/** A change of a field that both systems edit, and that is therefore in no row. */
type Edit = { player: string; field: string; from: string | null; to: string | null };
type Export = { teams: { team: Row; players: Row[]; edits?: Edit[] }[] };

type Stored = Record<string, unknown> & { _id: string; revision?: number };
type RowResult = { index: number; externalId?: string; _id?: string; error?: { message: string } };
type Bulk = { data: RowResult[]; summary: Record<string, number> };
type Change = { kind: string; id: string; revision?: number; deleted: boolean; record: Stored };
type Page = { data: Change[]; nextCursor: string; hasMore: boolean };
type Mirror = { cursor?: string; records: Record<string, Stored> };

const { API = 'http://localhost:3000/v1/public-api', API_KEY = '' } = process.env;
const [, , exportFile = 'export.json', mirrorFile = 'mirror.json'] = process.argv;
const totals: Record<string, number> = {};

/** Sends a request and returns its answer. Waits and repeats it if the answer says so or the connection is lost. */
async function send<T>(method: string, path: string, body?: object, headers: Record<string, string> = {}) {
  for (let attempt = 1; ; attempt++) {
    let secondsToWait = 2;
    let problem: unknown;
    try {
      const response = await fetch(API + path, {
        method,
        headers: { Authorization: `Bearer ${API_KEY}`, 'Content-Type': 'application/json', ...headers },
        body: body === undefined ? null : JSON.stringify(body),
        signal: AbortSignal.timeout(30_000),
      });
      const answer = { status: response.status, body: (await response.json()) as T };
      // Only answers to repeat have this header: 429, 503, and 409 with error 40902.
      const retryAfter = response.headers.get('Retry-After');
      if (retryAfter === null) return answer;
      secondsToWait = Number(retryAfter);
      problem = answer.status;
    } catch (error) {
      // No complete answer: the request may have been applied or not. Every request here can be repeated.
      problem = error;
    }
    if (attempt === 10) throw new Error(`${method} ${path} failed ${attempt} times`, { cause: problem });
    await sleep(secondsToWait * 1_000);
  }
}

/** Creates or updates records, 100 per request. Returns their IDs by `externalId`, and reports rows that are refused. */
async function bulkUpsert(path: string, rows: Row[]): Promise<Map<string, string>> {
  const ids = new Map<string, string>();
  for (let start = 0; start < rows.length; start += 100) {
    const { status, body } = await send<Bulk>('POST', path, { rows: rows.slice(start, start + 100) });
    if (status !== 200) throw new Error(`POST ${path}: ${JSON.stringify(body)}`);
    for (const { index, externalId, _id, error } of body.data) {
      if (error !== undefined) console.error(`${path}: row ${start + index} (${externalId}): ${error.message}`);
      else if (externalId !== undefined && _id !== undefined) ids.set(externalId, _id);
    }
    for (const [result, count] of Object.entries(body.summary)) totals[result] = (totals[result] ?? 0) + count;
  }
  return ids;
}

/** Changes a field that is also edited in the other system. Returns the reason if a person has to decide. */
async function applyEdit(teamId: string, { player, field, from, to }: Edit): Promise<string | undefined> {
  const players = `/teams/${teamId}/players`;
  for (;;) {
    const read = await send<{ data: Stored }>('GET', `${players}/by-external-id/${player}`);
    if (read.status !== 200) return JSON.stringify(read.body);
    const { _id, revision, [field]: value = null } = read.body.data;
    if (value === to) return undefined; // by an earlier run
    if (value !== from) return `${field} is ${JSON.stringify(value)}`;
    const written = await send('PATCH', `${players}/${_id}`, { [field]: to }, { 'If-Match': `"${revision}"` });
    if (written.status === 200) return undefined;
    // 412: another change came first. Read again, because it may have changed the same field.
    if (written.status !== 412) return JSON.stringify(written.body);
  }
}

/** Brings the mirror up to date, from where the last run ended. */
async function followChanges(): Promise<void> {
  let mirror: Mirror = { records: {} };
  if (existsSync(mirrorFile)) mirror = JSON.parse(readFileSync(mirrorFile, 'utf8')) as Mirror;
  let hasMore = true;
  while (hasMore) {
    const cursor = mirror.cursor === undefined ? '' : `&cursor=${mirror.cursor}`;
    const { status, body } = await send<Page>('GET', `/changes?kinds=season,team,player,schedule${cursor}`);
    if (status === 410) {
      // The last run was more than 30 days ago, and deletions since then may be unknown: build the mirror anew.
      mirror = { records: {} };
      continue;
    }
    if (status !== 200) throw new Error(`GET /changes: ${JSON.stringify(body)}`);
    for (const { kind, id, revision, deleted, record } of body.data) {
      const key = `${kind} ${id}`;
      const knownRevision = mirror.records[key]?.revision ?? 0;
      if (deleted) delete mirror.records[key];
      // A change can arrive more than once. Seasons have no revision.
      else if (revision === undefined || revision > knownRevision) mirror.records[key] = record;
    }
    mirror.cursor = body.nextCursor;
    // The cursor and its records are in one file, and renaming replaces it at once: a crash cannot separate them.
    writeFileSync(`${mirrorFile}.new`, JSON.stringify(mirror));
    renameSync(`${mirrorFile}.new`, mirrorFile);
    hasMore = body.hasMore;
  }
}

const { teams } = JSON.parse(readFileSync(exportFile, 'utf8')) as Export;
const teamRows = teams.map(({ team }) => team);
const teamIds = await bulkUpsert('/teams/bulk', teamRows);
for (const { team, players, edits = [] } of teams) {
  const teamId = teamIds.get(team.externalId);
  if (teamId === undefined) continue; // refused and reported
  await bulkUpsert(`/teams/${teamId}/players/bulk`, players);
  for (const edit of edits) {
    const reason = await applyEdit(teamId, edit);
    if (reason !== undefined) console.error(`${edit.player} was not changed: ${reason}`);
  }
}
await followChanges();
console.log(JSON.stringify(totals));
