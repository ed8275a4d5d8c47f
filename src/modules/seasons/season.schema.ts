import type { Schema } from 'mongoose';
import { DateField, RecordIdField, TextField } from '../../common/validation/fields.js';
import { adminCreator, recordSchema, type RecordId, StoredRecord, storedFieldsOf } from '../../database/record.js';

/** A season, of one organization or, without `organizationId`, of all. */
export class Season extends StoredRecord {
  @RecordIdField({
    description: "The season's id, to be sent as `season` when a team is created.",
    example: '6650f1f77bcf86cd79943931',
    required: true,
  })
  override _id!: RecordId;

  @TextField({ description: "The season's name.", max: 120, example: 'Spring 2027', required: true })
  name!: string;

  @DateField({ description: 'When it begins.', example: '2027-03-01T00:00:00Z', required: true })
  startDate!: Date;

  @DateField({
    description: 'When it ends; after the beginning.',
    example: '2027-06-30T00:00:00Z',
    response: { description: 'When it ends.' },
    required: true,
  })
  endDate!: Date;

  @RecordIdField({
    description: 'The one organization that sees it. Left out: every organization.',
    example: '6650f1f77bcf86cd79943911',
    response: { description: 'The organization whose season it is; left out where it is for every organization.' },
  })
  organizationId?: RecordId;
}

/** A season as stored. */
export interface SeasonRecord extends Season {
  createdBy?: RecordId;
}

export const seasonModel = 'Season';

export const seasonSchema: Schema<SeasonRecord> = recordSchema<SeasonRecord>('seasons', {
  ...storedFieldsOf(Season),
  createdBy: adminCreator,
});

// Serves the partners' list: the shared seasons and the organization's own, newest first.
seasonSchema.index({ organizationId: 1, startDate: -1, _id: 1 }, { name: 'seasons_of_organization' });
// Serves the admins' list of all seasons, newest first.
seasonSchema.index({ startDate: -1, _id: 1 }, { name: 'seasons_by_start' });
