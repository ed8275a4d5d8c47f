import type { PlayerResponse, SentStatisticsRow } from '../generated/types.gen.js';
import type { Build, BuildContext, SourceRow } from './build.js';
import { isPlaceholder, nameKey, SkippedRow, toExternalId } from './cells.js';

/** What the rows of a sheet with the statistics of a game need. */
export interface StatisticsContext extends Pick<BuildContext, 'columns' | 'teams' | 'team'> {
  /** The players of both sides. */
  players: readonly PlayerResponse[];
  /** Whether a blank cell counts as 0 instead of "not tracked". */
  isBlankZero: boolean;
}

type Player = Pick<SentStatisticsRow, 'playerId' | 'playerExternalId' | 'teamId'>;

/** Builds the statistics of a player, a row for each category of which a cell is filled. */
export const buildStatistics: Build<SentStatisticsRow[], StatisticsContext> = (source, context) => {
  const names = source.all('externalId', 'jerseyNumber', 'name');
  source.label = names.join(' ');
  if (/\b(team|totals?)$/i.test(source.label)) throw new SkippedRow('totals');
  const player = source.attempt(() => findPlayer(source, context));
  const counters = Object.entries(readCounters(source, context));
  if (counters.length === 0 && source.faults.length === 0) throw new SkippedRow('no statistics');
  return counters.map(([category, stats]) => ({ ...player, category, stats }) as SentStatisticsRow);
};

/** @throws Error if no player is named, or the number or name is that of several. */
function findPlayer(source: SourceRow, { players, teams, team }: StatisticsContext): Player {
  const [teamText] = source.all('team');
  const teamId = (team ?? (teamText === undefined ? undefined : teams.require([teamText], '')))?._id;
  const side = teamId !== undefined && { teamId };
  const ofSide = players.filter((player) => !side || player.teamId === teamId);
  const [id, name] = [source.get('externalId'), nameKey(source.get('name'))];
  const number = source.get('jerseyNumber').replace(/^#\s*/, '');
  const withoutZeros = (text: string) => text.replace(/^0+(?=.)/, '');
  const ways: [field: string, matches: (player: PlayerResponse) => boolean][] = [
    ['externalId', (player) => player.externalId === toExternalId(id)],
    ['jerseyNumber', (player) => player.jerseyNumber === number],
    ['jerseyNumber', (player) => withoutZeros(player.jerseyNumber ?? '') === withoutZeros(number)],
    ['name', (player) => nameKey(player.name) === name],
  ];
  for (const [field, matches] of ways.filter(([field]) => source.all(field).length > 0)) {
    const found = ofSide.filter(matches);
    const [player, other] = found.length > 1 ? found.filter((each) => nameKey(each.name) === name) : found;
    if (found.length > 1 && (!player || other))
      throw new Error(`${source.quote(field)} is of several players: add a column for the team, or --team`);
    if (!player) continue;
    if (name && nameKey(player.name) !== name) {
      if (players.some((each) => nameKey(each.name) === name))
        throw new Error(
          `${source.quote(field)} is ${player.name}, but ${source.quote('name')} plays, too: which one is meant?`,
        );
      source.warnings.push(`${source.quote(field)} is ${player.name}`);
    }
    return { playerId: player._id, ...side };
  }
  // A player who has left both teams since.
  if (id !== '') return { playerExternalId: toExternalId(id), ...side };
  throw new Error('no player of the game has this number or name');
}

/** Returns the counters of each category that has a filled cell. */
function readCounters(source: SourceRow, { columns, isBlankZero }: StatisticsContext) {
  const counters: Record<string, Record<string, number>> = {};
  const blanks: [category: string, counter: string][] = [];
  for (const field of [...columns.indexes.keys()].filter((each) => each.includes('.'))) {
    const names = field.split('/');
    const numbers = names.length > 1 ? source.get(field).split(/[/-](?=.)/) : [source.get(field)];
    if (numbers.length !== names.length && source.all(field).length > 0)
      source.faults.push(`${source.quote(field)} is not ${names.length} numbers`);
    for (const [index, name] of names.entries()) {
      const [category = '', counter = ''] = name.split('.');
      const number = (numbers[index] ?? '').trim();
      if (number === '' || isPlaceholder(number)) blanks.push([category, counter]);
      else if (!/^-?\d+(\.\d+)?$/.test(number)) source.faults.push(`${source.quote(field)} is not a number`);
      else (counters[category] ??= {})[counter] = Number(number);
    }
  }
  if (isBlankZero) for (const [category, counter] of blanks) if (counters[category]) counters[category][counter] ??= 0;
  return counters;
}
