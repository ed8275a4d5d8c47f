import type { Schema } from 'mongoose';
import { BooleanField, RecordIdField, TextField, UrlField } from '../../common/validation/fields.js';
import { recordSchema, type RecordId, StoredRecord, storedFieldsOf } from '../../database/record.js';
import { idempotencyIndex, type IdempotentRecord, idempotentFields } from '../../idempotency/idempotent.repository.js';

/** A team of an organization, as partners see and write it. */
export class Team extends StoredRecord {
  @RecordIdField({ description: "The team's id.", example: '6650f1f77bcf86cd79943941', required: true })
  override _id!: RecordId;

  @TextField({ description: "The team's name.", max: 120, example: 'Bay Hawks', required: true })
  name!: string;

  @RecordIdField({
    description: 'The `_id` of a season.',
    example: '6650f1f77bcf86cd79943931',
    response: { description: 'The season it plays in.' },
    required: true,
  })
  season!: RecordId;

  @TextField({
    description:
      'The kind of football; known values are `flag`, `tackle`, `touch` and `sevenOnSeven`, any other text is kept.',
    max: 40,
    example: 'flag',
    response: { description: 'The kind of football.' },
    default: 'flag',
  })
  footballType!: string;

  @TextField({
    description:
      'The age group; known values are `5U` to `19U`, `middleSchool`, `highSchool`, `college`, `adult`, `masters35` and `open`, any other text is kept.',
    max: 40,
    example: '12U',
    response: { description: 'The age group.' },
    default: 'open',
  })
  ageGroup!: string;

  @TextField({
    description:
      "The team's gender; known values are `male`, `female`, `coed` (with quota rules) and `open` (no restriction), any other text is kept.",
    max: 40,
    example: 'coed',
    response: { description: "The team's gender." },
    default: 'coed',
  })
  gender!: string;

  @BooleanField({ description: 'Whether the team is archived.', example: false, required: true })
  isArchived!: boolean;

  @UrlField({ description: "Where the team's logo is.", example: 'https://cdn.example.com/logos/bay-hawks.png' })
  logoUrl?: string;

  @RecordIdField({
    description: 'The organization whose team it is.',
    example: '6650f1f77bcf86cd79943911',
    required: true,
    immutable: true,
  })
  organizationId!: RecordId;
}

/** A team as stored. */
export interface TeamRecord extends Team, IdempotentRecord {}

export const teamModel = 'Team';

export const teamSchema: Schema<TeamRecord> = recordSchema<TeamRecord>('teams', {
  ...storedFieldsOf(Team),
  ...idempotentFields,
});

// Serves the list of an organization's teams in order of creation.
teamSchema.index({ organizationId: 1, deletedAt: 1, createdAt: 1, _id: 1 }, { name: 'teams_of_organization' });
teamSchema.index(...idempotencyIndex);
