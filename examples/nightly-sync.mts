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

type Row = { externalId: string };
type Roster = { team: string; players: Row[]; newPositions: { player: string; position: string }[] };
type Schedule = Row & { team: string };
type Export = { teams: Row[]; rosters: Roster[]; schedules?: Schedule[] };
type Saved = { _id: string; revision: number };
type Player = Saved & { teamId: string; externalId?: string };
type Players = { data: Player[]; nextCursor?: string };
type Bulk = { data: (Partial<Saved> & { externalId: string; result: string })[]; summary: object };
type Change = { kind: string; id: string; revision?: number; deleted: boolean; changedBy?: object; record: object };
/** The copy, and the IDs of the records that were sent: by path and external ID. */
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

/** Creates, updates or deletes records, 100 per request, and prints the failed rows. */
async function bulk(path: string, rows: object[]): Promise<void> {
  for (let start = 0; start < rows.length; start += 100) {
    const body = JSON.stringify({ rows: rows.slice(start, start + 100) });
    const { data, summary } = await send<Bulk>(path, { method: 'POST', body });
    const failed = data.filter(({ result }) => result === 'failed');
    console.log(`${path} from row ${start}: ${JSON.stringify({ ...summary, failed })}`);
    const ids = (sent[path] ??= {});
    for (const { externalId, result, _id, revision } of data) {
      if (_id && revision) own.set(_id, revision);
      if (_id && result !== 'deleted') ids[externalId] = _id;
      else if (result !== 'failed') delete ids[externalId];
    }
    saveMirror();
  }
}

/** Returns rows that delete the records that were sent before and are not among these rows. */
function deletions(path: string, rows: Row[]): Row[] {
  const kept = new Set(rows.map(({ externalId }) => externalId));
  const gone = Object.keys(sent[path] ?? {}).filter((externalId) => !kept.has(externalId));
  return gone.map((externalId) => ({ externalId, delete: true }) as Row);
}

/** Moves players to the team in which the export has them, so that they keep their `_id` and their statistics. */
async function movePlayers(rosters: Roster[], teamIds: Record<string, string>): Promise<void> {
  const keys = rosters.flatMap(({ team, players }) =>
    players.map(({ externalId }) => `${teamIds[team]} ${externalId}`),
  );
  const missing = new Set(keys);
  const ownTeams = new Set(Object.values(teamIds));
  const elsewhere: Player[] = [];
  let cursor: string | undefined;
  do {
    const page: Players = await send(`/players?limit=100${cursor ? `&cursor=${cursor}` : ''}`);
    for (const player of page.data)
      if (!missing.delete(`${player.teamId} ${player.externalId}`) && ownTeams.has(player.teamId))
        elsewhere.push(player);
    cursor = page.nextCursor;
  } while (cursor);
  const byExternalId = Map.groupBy(elsewhere, ({ externalId }) => externalId);
  for (const key of missing) {
    const [teamId, externalId] = key.split(' ');
    const player = byExternalId.get(externalId)?.pop();
    if (!player) continue; // A new player.
    const path = `/teams/${player.teamId}/players/${player._id}`;
    // 404: the player has been moved, but the response was lost.
    const moved = await send<Saved | undefined>(path, { method: 'PATCH', body: JSON.stringify({ teamId }) }, 404);
    if (moved) own.set(moved._id, moved.revision);
  }
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
const teamIds = sent['/teams/bulk'] ?? {};
const games = schedules.map(({ team, ...row }) => ({ ...row, teamId: teamIds[team] }));
await bulk('/schedules/bulk', [...games, ...deletions('/schedules/bulk', games)]);
const ready = rosters.filter(({ team }) => teamIds[team]);
await movePlayers(ready, teamIds);
/** Players whose new team failed stay in their old one. */
const waiting = rosters.filter(({ team }) => !teamIds[team]).flatMap(({ players }) => players);
for (const { team, players, newPositions } of ready) {
  const path = `/teams/${teamIds[team]}/players/bulk`;
  await bulk(path, [...players, ...deletions(path, [...players, ...waiting])]);
  for (const { player, position } of newPositions)
    await addPosition(`${teamIds[team]}`, player, position).catch(console.error);
}
// A team is deleted after its schedules and players.
for (const { externalId } of deletions('/teams/bulk', teams)) {
  const path = `/teams/${teamIds[externalId]}/players/bulk`;
  await bulk(path, deletions(path, waiting));
}
await bulk('/teams/bulk', deletions('/teams/bulk', teams));
await followChanges();
