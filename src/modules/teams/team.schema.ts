import { Prop, Schema } from '@nestjs/mongoose';
import { BooleanField, RecordIdField, TextField, UrlField } from '../../validation/fields.js';
import type { ChangedBy } from '../../records/changed-by.js';
import { OrganizationIdField, type RecordId, storage } from '../../database/record.js';
import type { Former } from '../../database/former-values.js';
import { addNameIndex, Stored, SyncedRecord, syncedSchema } from '../../records/synced-record.schema.js';

/** A team of an organization, as the API shows it. */
export class Team extends SyncedRecord {
  @RecordIdField({ description: 'The ID of the team.', example: '6650f1f77bcf86cd79943941', required: true })
  override _id!: RecordId;

  @TextField({ description: 'The name of the team.', max: 120, example: 'Bay Hawks', required: true })
  name!: string;

  @RecordIdField({
    description: 'The `_id` of the season that the team plays in.',
    example: '6650f1f77bcf86cd79943931',
    required: true,
  })
  season!: RecordId;

  @TextField({
    description:
      'The type of football. Known values are `flag`, `tackle`, `touch` and `sevenOnSeven`; any other string is accepted.',
    max: 40,
    example: 'flag',
    response: { description: 'The type of football.' },
    createDefault: 'flag',
  })
  footballType!: string;

  @TextField({
    description:
      'The age group. Known values are `5U` to `19U`, `middleSchool`, `highSchool`, `college`, `adult`, `masters35` and `open`; any other string is accepted.',
    max: 40,
    example: '12U',
    response: { description: 'The age group.' },
    createDefault: 'open',
  })
  ageGroup!: string;

  @TextField({
    description:
      'The gender of the players. Known values are `male`, `female`, `coed` (with quota rules) and `open` (no restriction); any other string is accepted.',
    max: 40,
    example: 'coed',
    response: { description: 'The gender of the players.' },
    createDefault: 'coed',
  })
  gender!: string;

  @BooleanField({ description: 'Whether the team is archived.', example: false, required: true })
  isArchived!: boolean;

  @UrlField({
    description: "URL of the team's logo.",
    example: 'https://cdn.example.com/logos/bay-hawks.png',
    clearable: true,
  })
  logoUrl?: string;

  @OrganizationIdField('The organization that the team belongs to.')
  organizationId!: RecordId;
}

@Schema({ collection: 'teams', ...storage })
export class TeamRecord extends Stored(Team) {
  /** While a deletion is in progress: when it started. Until it ends, nothing can be added to the team. */
  @Prop({ type: Date }) deletionStartedAt?: Date;
  /** The seasons that the team was in before, in which its games of that time stay. */
  @Prop({ type: 'Mixed' }) formerSeasons?: readonly Former<Pick<Team, 'season'>>[];
  /** An entry for each change of name or season, with the name before it, until all games have followed. */
  @Prop({ type: 'Mixed' })
  formerNames?: { readonly name: string; readonly at: Date; readonly changedBy: ChangedBy }[];
}

export const teamSchema = syncedSchema(TeamRecord);

// Serves the list of an organization's teams by creation time.
teamSchema.index({ organizationId: 1, deletedAt: 1, createdAt: 1, _id: 1 }, { name: 'teams_of_organization' });

// Serves the list of the teams of a season.
teamSchema.index({ organizationId: 1, deletedAt: 1, season: 1, createdAt: 1, _id: 1 }, { name: 'teams_of_season' });

// Serves the search of teams by name.
addNameIndex(teamSchema, 'name', 'teams_by_name');

// Serves the query whether an organization's teams have changed, and the list of those that have changed lately.
teamSchema.index({ organizationId: 1, updatedAt: 1 }, { name: 'teams_by_change' });

// Serves the queries which teams were renamed, of which games can still have the former names.
teamSchema.index(
  { organizationId: 1, 'formerNames.at': 1 },
  { name: 'renamed_teams', partialFilterExpression: { 'formerNames.at': { $exists: true } } },
);
