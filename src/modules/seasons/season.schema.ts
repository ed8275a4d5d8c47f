import { Prop, Schema } from '@nestjs/mongoose';
import { DateField, NestedField, RecordIdField, TextField } from '../../validation/fields.js';
import { type RecordId, storage } from '../../database/record.js';
import { Stored, SyncedRecord, syncedSchema } from '../../records/synced-record.schema.js';
import { StandingsRules } from './standings-rules.schema.js';

/** A season of one organization, or of all if it has no `organizationId`. */
export class Season extends SyncedRecord {
  @RecordIdField({
    description: 'The ID of the season. Send it as `season` when you create a team.',
    example: '6650f1f77bcf86cd79943931',
    required: true,
  })
  override _id!: RecordId;

  @TextField({ description: 'The name of the season.', max: 120, example: 'Spring 2027', required: true })
  name!: string;

  @DateField({ description: 'The start of the season.', example: '2027-03-01T00:00:00Z', required: true })
  startDate!: Date;

  @DateField({
    description:
      'The end of the season. Must be after `startDate`. Nothing ends with it: teams, games and standings can still change.',
    example: '2027-06-30T00:00:00Z',
    response: { description: 'The end of the season.' },
    required: true,
  })
  endDate!: Date;

  @RecordIdField({
    description: 'The organization that the season belongs to. Omit to share the season with every organization.',
    example: '6650f1f77bcf86cd79943911',
    response: {
      description:
        'The organization that the season belongs to. Omitted if the season is shared with every organization.',
    },
  })
  organizationId?: RecordId;

  @NestedField({
    description: 'The rules of the standings, of which an update replaces all. Omitted rules have their default.',
    example: { tiebreakers: ['points', 'headToHead', 'pointDifference'], winPoints: 3, differenceCap: 28 },
    type: StandingsRules,
    clearable: true,
  })
  standings?: StandingsRules;
}

@Schema({ collection: 'seasons', ...storage })
export class SeasonRecord extends Stored(Season) {
  /** The admin who created the season; absent if the server created it. */
  @Prop({ type: 'ObjectId', immutable: true }) override createdBy!: RecordId;
}

/** A season as stored, without an organization if it is shared, and without a creator if the server created it. */
export type AnySeasonRecord = Omit<SeasonRecord, 'organizationId' | 'createdBy'> &
  Partial<Pick<SeasonRecord, 'organizationId' | 'createdBy'>>;

export const seasonSchema = syncedSchema(SeasonRecord);

// Serves the list of an organization: shared seasons and its own, newest first.
seasonSchema.index({ organizationId: 1, startDate: -1, _id: 1 }, { name: 'seasons_of_organization' });
// Serves the list of all seasons for admins, newest first.
seasonSchema.index({ startDate: -1, _id: 1 }, { name: 'seasons_by_start' });
