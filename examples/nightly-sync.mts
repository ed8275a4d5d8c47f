/**
 * Synchronizes teams and players, for example every night, and keeps a copy of the organization. Copy and adapt it.
 * Every step can be repeated: if a run is interrupted, start it again.
 *
 *   API=http://localhost:3000/v1/public-api API_KEY=… node nightly-sync.mts
 *
 * Requires Node.js 22.18 or later, and no packages. Reads your records from `export.json`, and keeps the copy in
 * `mirror.json`. The teams and players in `export.json` are rows of bulk requests:
 *
 *   { "teams": [{ "externalId": "club-7", "name": "Owls", "season": "…" }],
 *     "rosters": [{ "team": "club-7",
 *                   "players": [{ "externalId": "member-1", "name": "Jordan Lee" }],
 *                   "newPositions": [{ "player": "member-1", "position": "QB" }] }] }
 *
 * An update keeps the fields that a row does not have. Both systems edit positions here, so players have no `position`,
 * which would replace the stored list; `newPositions` are added to that list.
 */
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';

type Roster = { team: string; players: object[]; newPositions: { player: string; position: string }[] };
type Bulk = { data: { externalId: string; result: string; _id?: string }[]; summary: object };
type Change = { kind: string; id: string; deleted: boolean; record: object };

const { API = 'http://localhost:3000/v1/public-api', API_KEY = '' } = process.env;
const HEADERS = { Authorization: `Bearer ${API_KEY}`, 'Content-Type': 'application/json' };

/** Returns the body of the response, or undefined for the error status that the caller handles. */
async function send<T>(path: string, request: RequestInit = {}, handled?: number): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    // For lost connections. The request may have been applied, but every request here can be repeated.
    let seconds: string | null = '2';
    try {
      const response = await fetch(API + path, { headers: HEADERS, ...request, signal: AbortSignal.timeout(30_000) });
      const body = await response.json();
      if (response.ok) return body as T;
      if (response.status === handled) return undefined as T;
      // 429 and 503 have this header, and any other error after which the request can be repeated.
      seconds = response.headers.get('Retry-After');
      throw new Error(`${path}: ${JSON.stringify(body)}`);
    } catch (error) {
      if (seconds === null || attempt === 10) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, Number(seconds) * 1_000));
  }
}

/** Creates or updates records, 100 per request. Prints the failed rows, and returns the IDs of the others. */
async function bulkUpsert(path: string, rows: object[]): Promise<Map<string, string>> {
  const ids = new Map<string, string>();
  for (let start = 0; start < rows.length; start += 100) {
    const body = JSON.stringify({ rows: rows.slice(start, start + 100) });
    const { data, summary } = await send<Bulk>(path, { method: 'POST', body });
    const failed = data.filter(({ result }) => result === 'failed');
    console.log(`${path} from row ${start}: ${JSON.stringify({ ...summary, failed })}`);
    for (const { externalId, _id } of data) if (_id) ids.set(externalId, _id);
  }
  return ids;
}

/** Adds a position to a player, without removing one that the other system adds at the same time. */
async function addPosition(teamId: string, player: string, position: string): Promise<void> {
  const path = `/teams/${teamId}/players/by-external-id/${player}`;
  const { data } = await send<{ data: { position: string[]; revision: number } }>(path);
  if (data.position.includes(position)) return;
  const headers = { ...HEADERS, 'If-Match': `"${data.revision}"` };
  const body = JSON.stringify({ position: [...data.position, position] });
  const updated = await send(path, { method: 'PATCH', headers, body }, 412);
  if (!updated) await addPosition(teamId, player, position); // Another change came first: read it.
}

/** Brings the mirror up to date, from where the last run ended. */
async function followChanges(mirror: { cursor?: string; records: Record<string, object> }): Promise<void> {
  for (;;) {
    const path = `/changes?kinds=season,team,player,schedule${mirror.cursor ? `&cursor=${mirror.cursor}` : ''}`;
    const page = await send<{ data: Change[]; nextCursor: string; hasMore: boolean } | undefined>(path, {}, 410);
    // The last run was more than 30 days ago, so the feed no longer has every deletion: build the mirror anew.
    if (!page) return followChanges({ records: {} });
    for (const { kind, id, deleted, record } of page.data) {
      if (deleted) delete mirror.records[`${kind} ${id}`];
      else mirror.records[`${kind} ${id}`] = record;
    }
    mirror.cursor = page.nextCursor;
    // Replaces the file at once, so that a crash cannot separate the records from the cursor.
    writeFileSync('mirror.json.new', JSON.stringify(mirror));
    renameSync('mirror.json.new', 'mirror.json');
    if (!page.hasMore) return;
  }
}

const { teams, rosters } = JSON.parse(readFileSync('export.json', 'utf8')) as { teams: object[]; rosters: Roster[] };
const teamIds = await bulkUpsert('/teams/bulk', teams);
for (const { team, players, newPositions } of rosters) {
  const teamId = teamIds.get(team);
  if (!teamId) continue; // Its row failed.
  await bulkUpsert(`/teams/${teamId}/players/bulk`, players);
  for (const { player, position } of newPositions) await addPosition(teamId, player, position).catch(console.error);
}
await followChanges(JSON.parse(existsSync('mirror.json') ? readFileSync('mirror.json', 'utf8') : '{"records":{}}'));
