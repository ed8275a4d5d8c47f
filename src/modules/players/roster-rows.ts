import { invalidField, ServiceError } from '../../errors/service-error.js';
import { type RecordId, toRecordId } from '../../database/record.js';
import type { ParsedRow } from '../../records/bulk.dto.js';
import { linkRepeated } from '../../records/bulk.pipe.js';
import { type TeamLookup, teamNamed } from '../teams/teams.service.js';
import type { RosterRow, UpsertPlayer } from './player.dto.js';

/** An upsert of a player of a team, who can come from another one. */
export type PlacedPlayer = UpsertPlayer & { readonly teamId: RecordId; readonly move?: boolean };

/** Returns what identifies a player in the organization. */
export const rosterKey = (teamId: unknown, externalId = '') => `${String(teamId)} ${externalId}`;

/** Returns the rows of a request over the teams of an organization, each with its team. */
export function placeRows(sent: readonly ParsedRow<RosterRow>[], teamOf: TeamLookup): ParsedRow<PlacedPlayer>[] {
  const placed = sent.map((row) => placeRow(row, teamOf));
  const valid = [...placed.keys()].filter((index) => placed[index]?.row !== undefined);
  const indexes = Map.groupBy(valid, (index) => placed[index]?.externalId);
  const rows = placed.map((parsed, index) => {
    const other = indexes.get(parsed.externalId)?.find((one) => one !== index);
    if (other === undefined || parsed.row?.move !== true) return parsed;
    // The order of the rows would decide where to.
    const message = `externalId is also that of row ${other}, so move must be omitted`;
    return { ...parsed, row: undefined, error: invalidField('externalId', message) };
  });
  return linkRepeated(rows, ({ parent, externalId }) => parent && rosterKey(parent['teamId'], externalId));
}

/** Returns a row with the ID of its team, if the organization has it. */
function placeRow(
  { row, parent = {}, after: _none, ...rest }: ParsedRow<RosterRow>,
  teamOf: TeamLookup,
): ParsedRow<PlacedPlayer> {
  try {
    const team = teamNamed(parent, teamOf);
    if (team === undefined) return rest;
    const placed = { ...rest, parent: { teamId: team.id } };
    if (row === undefined) return placed;
    const { teamExternalId: _named, ...fields } = row;
    return { ...placed, row: { ...fields, teamId: toRecordId(team.id) } };
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return { error, ...rest };
  }
}
