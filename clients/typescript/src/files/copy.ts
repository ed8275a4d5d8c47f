import { ApiError } from '../errors.js';
import type { Api } from '../generated/sdk.gen.js';
import type { PlayerStatisticsRow, SentStatisticsRow } from '../generated/types.gen.js';
import { collect } from './outcome.js';

type Row = Record<string, unknown>;
type Kind = (typeof kinds)[number];

/** In the order in which they name each other. */
const kinds = ['seasons', 'teams', 'players', 'schedules'] as const;
/** What the server sets itself, or what a row names in another way. */
const ownFields = ['_id', 'organizationId', 'revision', 'changedBy', 'createdAt', 'updatedAt'];
const references = ['teamId', 'teamOneId', 'teamTwoId', 'season'];
/** What the server computes of a schedule, unless a client has sent it. */
const computedFields = ['eventTitle', 'endDate', 'teamTwoName'];
const maxRows = 100;

/**
 * Copies the seasons, teams, players, schedules and statistics of an organization into another one, such as that of
 * another cell. Records without an external ID get their former ID as one. A repetition sends only what differs.
 *
 * @returns what differs in the end, a sentence each
 */
export async function copyOrganization(from: Api, to: Api, onNote: (text: string) => void): Promise<string[]> {
  const [source, target] = [new Organization(from), new Organization(to)];
  await source.read(kinds);
  await target.read(kinds);
  const differences: string[] = [];
  for (const kind of kinds) {
    const rows = [...source.rows[kind]].filter(([name]) => kind !== 'seasons' || source.usesSeason(name));
    const different = () => rows.filter(([name, row]) => toText(row) !== toText(target.rows[kind].get(name)));
    let left = different();
    onNote(`${kind}: ${rows.length}, of which ${left.length} are new or changed`);
    let problems: string[] = [];
    // New ones first without what the server computes, so that it stays computed; then with what it computed differently.
    for (const isComputed of [true, false]) {
      const sent = left.map(([name, row]) => bodyOf(row, target.rows[kind].get(name), isComputed));
      problems = [];
      for (let start = 0; start < sent.length; start += maxRows)
        problems.push(...(await target.write(kind, sent.slice(start, start + maxRows))));
      if (sent.length === 0) continue;
      await target.read([kind]);
      left = different();
    }
    const others = [...target.rows[kind].keys()].filter((name) => !source.rows[kind].has(name));
    differences.push(
      ...problems,
      ...left.map(([name]) => `${kind}: ${name} differs`),
      ...others
        .filter((name) => kind !== 'seasons' || target.usesSeason(name))
        .map((name) => `${kind}: ${name} is only in the new organization`),
    );
  }
  return [...differences, ...(await copyStatistics(source, target))];
}

/** The records of an organization by names that both organizations have: external IDs, below that of the team for players. */
class Organization {
  readonly rows: Record<Kind, Map<string, Row>> = {
    seasons: new Map(),
    teams: new Map(),
    players: new Map(),
    schedules: new Map(),
  };
  /** Names by ID, and IDs by kind and name. */
  readonly names = new Map<unknown, string>();
  readonly ids = new Map<string, string>();

  constructor(readonly api: Api) {}

  async read(kinds: readonly Kind[]): Promise<void> {
    for (const kind of kinds) {
      const { seasons, teams, players, schedules } = this.api;
      const lists = {
        seasons: () => seasons.list(),
        teams: () => teams.list(),
        players: () => players.listAll(),
        schedules: () => schedules.list(),
      };
      const records = await collect<object>(lists[kind]());
      this.rows[kind] = new Map(records.map((record) => this.toRow(kind, record as Row)));
      if (this.rows[kind].size < records.length)
        throw new Error(`${kind}: the ID of a record is the external ID of another one; give the first an external ID`);
    }
  }

  /** Returns whether a season is the organization's own, or shared and used by a team. */
  usesSeason(name: string): boolean {
    const isShared = this.rows.seasons.get(name)?.['isShared'] === true;
    return !isShared || [...this.rows.teams.values()].some(({ season }) => season === name);
  }

  private toRow(kind: Kind, record: Row): [string, Row] {
    const id = String(record['_id']);
    const team = this.names.get(record['teamId']);
    const isShared = kind === 'seasons' && record['organizationId'] === undefined;
    const { name: title, startDate, endDate } = record as Record<string, string>;
    // Shared seasons have no external ID: that of the same name and time is the same one.
    const externalId = isShared
      ? `${title} ${startDate} ${endDate}`
      : ((record['externalId'] as string | undefined) ?? id);
    const name = kind === 'players' ? `${team} ${externalId}` : externalId;
    this.names.set(id, name);
    this.ids.set(`${kind} ${name}`, id);
    const isCopied = (field: string) => !ownFields.includes(field) && !references.includes(field);
    const row = {
      ...Object.fromEntries(Object.entries(record).filter(([field]) => isCopied(field))),
      // That of a game is computed, and compared only in the end.
      ...('season' in record && { season: this.names.get(record['season']) }),
      ...(team !== undefined && { teamExternalId: team }),
      ...(record['teamTwoId'] !== undefined && { teamTwoExternalId: this.names.get(record['teamTwoId']) }),
      ...(isShared && { isShared }),
      externalId,
    };
    return [name, row];
  }

  /** Sends at most 100 rows of a kind, and returns the problems. */
  async write(kind: Kind, sent: Row[]): Promise<string[]> {
    if (kind === 'seasons') return (await Promise.all(sent.map((row) => this.writeSeason(row)))).flat();
    const seasonOf = ({ season }: Row) => ({
      season: kind === 'teams' ? this.ids.get(`seasons ${String(season)}`) : undefined,
    });
    const body = { rows: sent.map((row) => ({ ...row, ...seasonOf(row) })) as never };
    const { teams, players, schedules } = this.api;
    const operations = {
      teams: () => teams.bulkUpsert({ body }),
      players: () => players.bulkUpsertAll({ body }),
      schedules: () => schedules.bulkUpsert({ body }),
    };
    const { data } = await operations[kind]();
    const failed = data.flatMap((row) => (row.result === 'failed' ? [row] : []));
    return failed.map(({ externalId = '', error }) => `${kind}: ${externalId} failed: ${error.message}`);
  }

  private async writeSeason(row: Row): Promise<string[]> {
    const name = String(row['externalId']);
    if (row['isShared'] === true) return [`seasons: a super admin must create the shared season ${name}`];
    const seasonId = this.ids.get(`seasons ${name}`);
    const body = row as never;
    await (seasonId === undefined
      ? this.api.seasons.create({ body })
      : this.api.seasons.update({ path: { seasonId }, body }));
    return [];
  }
}

/** Returns the row to send. Fields that only the stored one has are cleared. */
function bodyOf(row: Row, stored: Row | undefined, isComputed: boolean): Row {
  const cleared = Object.keys(stored ?? {}).filter((field) => !(field in row));
  const omitted = 'eventTitle' in row && stored === undefined && isComputed ? computedFields : [];
  // The name of an opponent without a team is no computed one.
  const isOmitted = (field: string) =>
    omitted.includes(field) && (field !== 'teamTwoName' || 'teamTwoExternalId' in row);
  const sent = Object.entries(row).filter(([field]) => !isOmitted(field));
  return { ...Object.fromEntries(cleared.map((field) => [field, null])), ...Object.fromEntries(sent) };
}

/** Copies the statistics of the games that have some, and returns what differs in the end. */
async function copyStatistics(source: Organization, target: Organization): Promise<string[]> {
  const differences: string[] = [];
  for await (const { id } of source.api.changes.list({ query: { kinds: ['playerStatistics'] } })) {
    const game = source.names.get(id);
    const scheduleId = target.ids.get(`schedules ${game}`);
    if (game === undefined || scheduleId === undefined) continue;
    const wanted = await readStatistics(source, id);
    if (toText(await readStatistics(target, scheduleId)) === toText(wanted)) continue;
    const rows = wanted.map(({ player, team, category, stats }) => {
      return {
        category,
        stats,
        playerId: target.ids.get(`players ${player}`),
        teamId: target.ids.get(`teams ${team}`),
      };
    });
    const write = target.api.playerStatistics.write({
      path: { scheduleId },
      body: { rows: rows as SentStatisticsRow[] },
    });
    const problem = await write.then(
      () => undefined,
      (error: unknown) => (error instanceof ApiError ? error.message : Promise.reject(error as Error)),
    );
    if (problem !== undefined) differences.push(`statistics: ${game} failed: ${problem}`);
    else if (toText(await readStatistics(target, scheduleId)) !== toText(wanted))
      differences.push(`statistics: ${game} differs`);
  }
  return differences;
}

/** Returns the statistics of a game, in an order that does not depend on IDs. */
async function readStatistics({ api, names }: Organization, scheduleId: string) {
  const { data } = await api.playerStatistics.get({ path: { scheduleId } });
  // Name and number are those at the time of the game, which the server keeps and no request can set.
  const toNamed = ({ playerId, teamId, playerName, jerseyNumber, category, stats }: PlayerStatisticsRow) => {
    const [player, team] = [names.get(playerId) ?? playerId, names.get(teamId) ?? teamId];
    return { player, team, playerName, jerseyNumber, category, stats };
  };
  return data.map(toNamed).sort((one, other) => (toText(one) < toText(other) ? -1 : 1));
}

/** Returns a value as text that does not depend on the order of fields. */
function toText(value: unknown): string {
  return JSON.stringify(value, (_, each: unknown) => {
    if (typeof each !== 'object' || each === null || Array.isArray(each)) return each;
    return Object.fromEntries(Object.entries(each).sort(([one], [other]) => (one < other ? -1 : 1)));
  });
}
