/**
 * Synchronizes teams, players and games, for example every night, and keeps a copy of the organization. Copy and adapt it.
 * Every step can be repeated: if a run is interrupted, start it again.
 *
 *   API=https://api.example.com/v1/public-api API_KEY=… node nightly-sync.mts
 *
 * Requires Node.js 22.18 or later, and no packages. Reads your records from `export.json`, and keeps the copy in
 * `mirror.json`. The teams, players and schedules in `export.json` are rows of bulk requests:
 *
 *   { "teams": [{ "externalId": "club-7", "name": "Owls", "season": "…" }],
 *     "rosters": [{ "team": "club-7",
 *                   "players": [{ "externalId": "member-1", "name": "Jordan Lee" }],
 *                   "newPositions": [{ "player": "member-1", "position": "QB" }] }],
 *     "schedules": [{ "externalId": "game-1", "team": "club-7", "startDate": "…", "teamTwoName": "Foxes" }] }
 *
 * Deletes what it has sent before and no longer finds in `export.json`, and nothing else. An update keeps the fields that
 * a row does not have. Both systems edit positions here, so players have no `position`, which would replace the stored
 * list; `newPositions` are added to that list. Players who change teams are moved.
 */
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';

type Row = { externalId: string; teamExternalId?: string; move?: boolean };
type Roster = { team: string; players: Row[]; newPositions: { player: string; position: string }[] };
type Schedule = Row & { team: string };
type Export = { teams: Row[]; rosters: Roster[]; schedules?: Schedule[] };
type Saved = { _id: string; revision: number };
type Bulk = { data: (Partial<Saved> & { index: number; externalId: string; result: string })[]; summary: object };
type Change = { kind: string; id: string; revision?: number; deleted: boolean; changedBy?: object; record: object };
/** The copy, and the IDs of the records that were sent: by path and `keyOf`. */
type Mirror = { cursor?: string; records: Record<string, object>; sent?: Record<string, Record<string, string>> };

const { API = 'http://localhost:3000/v1/public-api', API_KEY = '' } = process.env;
const HEADERS = { Authorization: `Bearer ${API_KEY}`, 'Content-Type': 'application/json' };

/** Returns the body of the response, or undefined for the error status that the caller handles. */
async function send<T>(path: string, request: RequestInit = {}, handled?: number): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    let response: Response | undefined;
    let wait: number | undefined;
    try {
      response = await fetch(API + path, { headers: HEADERS, ...request, signal: AbortSignal.timeout(30_000) });
      const body = await response.text();
      if (response.ok) return JSON.parse(body) as T;
      if (response.status === handled) return undefined as T;
      throw new Error(`${path}: ${response.status} ${body}`);
    } catch (error) {
      wait = retryDelay(response, attempt);
      if (wait === undefined) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, wait));
  }
}

/**
 * Returns the milliseconds to wait before the request is repeated, or undefined if it is not. A request may have been
 * applied although its response was lost, but every request here can be repeated.
 */
function retryDelay(response: Response | undefined, attempt: number): number | undefined {
  const retryAfter = response?.headers.get('Retry-After') ?? '';
  const isFinal = response && !response.ok && ![429, 502, 503, 504].includes(response.status) && retryAfter === '';
  if (isFinal || attempt === 10) return undefined;
  // The header has seconds or a date. Without it, each wait is longer: 1, 2, 4, … up to 30 s.
  const given = /^\d+$/.test(retryAfter) ? Number(retryAfter) * 1_000 : Date.parse(retryAfter) - Date.now();
  return Math.min(3_600_000, Math.max(given || 0, Math.min(30_000, 500 * 2 ** attempt)));
}

const saved = existsSync('mirror.json') ? readFileSync('mirror.json', 'utf8') : '{"records":{}}';
const mirror = JSON.parse(saved) as Mirror;
const sent = (mirror.sent ??= {});
/** The revisions of this run's own changes, by ID. */
const own = new Map<string, number>();

/** Replaces the file atomically, so that a crash cannot separate the records from the cursor. */
function saveMirror(): void {
  writeFileSync('mirror.json.new', JSON.stringify(mirror));
  renameSync('mirror.json.new', 'mirror.json');
}

/** Identifies a record of a path: external IDs of players are unique within a team. */
function keyOf(path: string, { externalId, teamExternalId }: Row): string {
  return path === '/players/bulk' ? `${teamExternalId} ${externalId}` : externalId;
}

/** Creates, updates, moves or deletes records, 100 per request. Prints the failed rows, and returns their external IDs. */
async function bulk(path: string, rows: Row[]): Promise<Set<string>> {
  const failedIds = new Set<string>();
  for (let start = 0; start < rows.length; start += 100) {
    const body = JSON.stringify({ rows: rows.slice(start, start + 100) });
    const { data, summary } = await send<Bulk>(path, { method: 'POST', body });
    const failed = data.filter(({ result }) => result === 'failed');
    console.log(`${path} from row ${start}: ${JSON.stringify({ ...summary, failed })}`);
    const ids = (sent[path] ??= {});
    for (const { index, externalId, result, _id, revision } of data) {
      const key = keyOf(path, { ...rows[start + index], externalId });
      if (_id && revision) own.set(_id, revision);
      if (_id && result !== 'deleted') ids[key] = _id;
      else if (result === 'failed') failedIds.add(externalId);
      else delete ids[key];
    }
    saveMirror();
  }
  return failedIds;
}

/** Returns rows that delete the records that were sent before and are not among these rows. */
function deletions(path: string, rows: Row[]): Row[] {
  const kept = new Set(rows.map((row) => keyOf(path, row)));
  const gone = Object.keys(sent[path] ?? {}).filter((key) => !kept.has(key));
  return gone.map((key) => {
    const [externalId = '', teamExternalId] = key.split(' ').reverse();
    return { externalId, ...(teamExternalId && { teamExternalId }), delete: true };
  });
}

/** Returns the rows of all players. One of a single team is moved to it; someone of several teams is a player in each. */
function playersOf(rosters: Roster[]): Row[] {
  const rows = rosters.flatMap(({ team, players }) => players.map((row) => ({ ...row, teamExternalId: team })));
  const byExternalId = Map.groupBy(rows, ({ externalId }) => externalId);
  return rows.map((row) => ({ ...row, move: byExternalId.get(row.externalId)?.length === 1 }));
}

/** Sends the players of all teams, 100 per request, and deletes those that the export no longer has. */
async function sendPlayers(players: Row[]): Promise<void> {
  const moving = new Set(players.filter(({ move }) => move).map(({ externalId }) => externalId));
  const gone = deletions('/players/bulk', players);
  // Of each player who changes teams, one stays to be moved.
  const moved = gone.filter(({ externalId }) => moving.delete(externalId));
  await bulk(
    '/players/bulk',
    gone.filter((row) => !moved.includes(row)),
  );
  const failed = await bulk('/players/bulk', players);
  // Players whose row failed stay in their old team.
  await bulk(
    '/players/bulk',
    moved.filter(({ externalId }) => !failed.has(externalId)),
  );
}

/** Adds a position to a player, without removing one that the other system adds at the same time. */
async function addPosition(teamId: string, player: string, position: string): Promise<void> {
  const path = `/teams/${teamId}/players/by-external-id/${player}`;
  const { data } = await send<{ data: { position: string[]; revision: number } }>(path);
  if (data.position.includes(position)) return;
  const headers = { ...HEADERS, 'If-Match': `"${data.revision}"` };
  const body = JSON.stringify({ position: [...data.position, position] });
  const updated = await send<Saved | undefined>(path, { method: 'PATCH', headers, body }, 412);
  if (updated) own.set(updated._id, updated.revision);
  else await addPosition(teamId, player, position); // Another change came first: read it.
}

/** Brings the mirror up to date, from where the last run ended, and prints what others have changed. */
async function followChanges(): Promise<void> {
  for (;;) {
    const path = `/changes?kinds=season,team,player,schedule${mirror.cursor ? `&cursor=${mirror.cursor}` : ''}`;
    const page = await send<{ data: Change[]; nextCursor: string; hasMore: boolean } | undefined>(path, {}, 410);
    if (!page) {
      // The last run was more than 30 days ago, so the feed no longer has every deletion: build the mirror anew.
      delete mirror.cursor;
      mirror.records = {};
      continue;
    }
    for (const { kind, id, revision, deleted, changedBy, record } of page.data) {
      if (deleted) delete mirror.records[`${kind} ${id}`];
      else mirror.records[`${kind} ${id}`] = record;
      // A row with the revision of an own change is its echo.
      if (mirror.cursor && revision && own.get(id) !== revision) console.log('Changed:', kind, id, changedBy);
    }
    mirror.cursor = page.nextCursor;
    saveMirror();
    if (!page.hasMore) return;
  }
}

const { teams, rosters, schedules = [] } = JSON.parse(readFileSync('export.json', 'utf8')) as Export;
await bulk('/teams/bulk', teams);
const games = schedules.map(({ team, ...row }) => ({ ...row, teamExternalId: team }));
await bulk('/schedules/bulk', [...games, ...deletions('/schedules/bulk', games)]);
await sendPlayers(playersOf(rosters));
const teamIds = sent['/teams/bulk'] ?? {};
for (const { team, newPositions } of rosters)
  for (const { player, position } of newPositions)
    await addPosition(`${teamIds[team]}`, player, position).catch(console.error);
// A team is deleted after its schedules and players.
await bulk('/teams/bulk', deletions('/teams/bulk', teams));
await followChanges();
