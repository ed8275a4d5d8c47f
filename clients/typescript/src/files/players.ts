import type { RosterRow } from '../generated/types.gen.js';
import type { Build, BuildContext } from './build.js';
import { FileError, isYes, SkippedRow, toPositions } from './cells.js';
import type { Team } from './teams.js';

/** A player, and the team that it is sent to, undefined with a fault. */
export interface BuiltPlayer {
  team: Team | undefined;
  player: RosterRow;
}

const otherRoles =
  /coach|manager|staff|parent|guardian|volunteer|referee|official|trainer|contact|game|training|practice|event|^[2-9]$/i;
/** `Player/Coach` or `Game Day Player`, but not `Parent of player`. */
const playerRole = /^player|(?<!\b(non|of|of an?|of the)[ -]?)\bplayer(\s*\(|$)/i;

/** Builds a player from a row of a roster. Empty cells are left out, so that they change nothing. */
export const buildPlayer: Build<BuiltPlayer, BuildContext> = (source, context) => {
  const role = source.get('role');
  if (
    isYes(source.get('isCoach')) ||
    isYes(source.get('isNonPlayer')) ||
    (otherRoles.test(role) && !playerRole.test(role))
  )
    throw new SkippedRow('no player');
  const { team: teamOfAll, teams, seen, inSeveralTeams } = context;
  const { id, externalId } = source;
  if (/^\d(\.\d+)?E\+?\d+$/i.test(id)) source.faults.push(`a spreadsheet has shortened the ID ${id}`);
  const name = source.get('name') || `${source.get('firstName')} ${source.get('lastName')}`.trim();
  const [email, positions] = [source.optional('email'), source.optional('position')];
  const jerseyNumber = source.optional('jerseyNumber')?.replace(/^#\s*/, '');
  const profilePicture = source.optional('profilePicture');
  const player: RosterRow = {
    externalId,
    ...(name && { name }),
    ...(email && { email }),
    ...(positions && { position: toPositions(positions) }),
    ...(jerseyNumber && { jerseyNumber }),
    ...(profilePicture && { profilePicture }),
  };
  if (!name) source.lacking.push('name');
  const [names, division] = [source.all('teamExternalId', 'team'), source.get('division')];
  if (teamOfAll && teams.isAnother(teamOfAll, names, division))
    source.faults.push(`${source.quote('team')} is another team than --team ${teamOfAll.name}`);
  const team = teamOfAll ?? source.attempt(() => teams.require(names, division));
  const teamKey = team?._id ?? team?.externalId ?? '';
  const isInAnother = (seen.get(externalId)?.what ?? teamKey) !== teamKey;
  const key = isInAnother ? `${externalId} ${teamKey}` : externalId;
  const first = seen.get(key);
  if (first && id !== '') throw new FileError(`it repeats the ID "${id}" of line ${first.line}`);
  if (isInAnother) inSeveralTeams.add(externalId);
  seen.set(key, { line: source.row.line, what: teamKey });
  // A file with the teams says in which one a player is now; one of a single team does not.
  const isMoved = !teamOfAll && !inSeveralTeams.has(externalId);
  return { team, player: { ...player, ...(isMoved && { move: true }) } };
};
