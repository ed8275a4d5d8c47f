import type { RosterRow } from '../generated/types.gen.js';
import { type Build, type BuildContext, SkippedRow } from './build.js';
import { FileError, isYes, toPositions } from './cells.js';
import type { Team } from './teams.js';

/** A player, and the team that it is sent to. */
export interface BuiltPlayer {
  team: Team;
  player: RosterRow;
}

const otherRoles =
  /coach|manager|staff|parent|guardian|volunteer|referee|official|trainer|contact|game|training|practice|event|^[2-9]$/i;

/** Builds a player from a row of a roster. Empty cells are left out, so that they change nothing. */
export const buildPlayer: Build<BuiltPlayer, BuildContext> = (source, context) => {
  const role = source.get('role');
  if (
    isYes(source.get('isCoach')) ||
    isYes(source.get('isNonPlayer')) ||
    (otherRoles.test(role) && !/^player/i.test(role))
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
  const team =
    teamOfAll ?? source.attempt(() => teams.require(source.all('teamExternalId', 'team'), source.get('division')));
  const teamKey = team?._id ?? team?.externalId ?? '';
  const isInAnother = (seen.get(externalId)?.what ?? teamKey) !== teamKey;
  const key = isInAnother ? `${externalId} ${teamKey}` : externalId;
  const first = seen.get(key);
  if (first && id !== '') throw new FileError(`it repeats the ID "${id}" of line ${first.line}`);
  if (isInAnother) inSeveralTeams.add(externalId);
  seen.set(key, { line: source.row.line, what: teamKey });
  // A file with the teams says in which one a player is now; one of a single team does not.
  const isMoved = !teamOfAll && !inSeveralTeams.has(externalId);
  return team && { team, player: { ...player, ...(isMoved && { move: true }) } };
};
