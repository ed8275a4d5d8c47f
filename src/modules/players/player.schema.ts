import { Prop, Schema } from '@nestjs/mongoose';
import { Matches } from 'class-validator';
import type { Configuration } from '../../config/configuration.js';
import { field } from '../../validation/field.js';
import { EmailField, RecordIdField, TextField, TextListField, UrlField } from '../../validation/fields.js';
import { textProblem, trim } from '../../validation/text.js';
import { OrganizationIdField, type RecordId, storage } from '../../database/record.js';
import type { Former } from '../../database/former-values.js';
import { addNameIndex, Stored, SyncedRecord, syncedSchema } from '../../records/synced-record.schema.js';

/** The known positions. The first position of a player is the primary one. */
const knownPositions = 'QB C WR SLOT RB TE OL RUSHER DL LB CB S DB K P RETURNER ATH'.split(' ');
const positionLength = { minLength: 1, maxLength: 20 } as const;
const visibleCharacters = /^[^\s\p{Z}\p{Cc}\p{Cf}\p{Cs}\p{Default_Ignorable_Code_Point}]{1,4}$/u;

/** A player on the roster of a team, as the API shows it. */
export class Player extends SyncedRecord {
  @RecordIdField({ description: 'The ID of the player.', example: '6650f1f77bcf86cd79943951', required: true })
  override _id!: RecordId;

  @RecordIdField({
    description: 'The team that the player belongs to.',
    example: '6650f1f77bcf86cd79943941',
    required: true,
  })
  teamId!: RecordId;

  @OrganizationIdField('The organization that the team belongs to.')
  organizationId!: RecordId;

  @TextField({ description: 'The name of the player.', max: 120, example: 'Jordan Lee', required: true })
  name!: string;

  @EmailField({ description: 'The email address of the player.', example: 'jordan.lee@example.com', clearable: true })
  email?: string;

  @TextListField({
    description: `The positions of the player, unique, the primary one first. Known values are ${knownPositions.join(', ')} (case-insensitive); any other string is accepted.`,
    example: ['QB', 'WR'],
    response: { description: 'The positions of the player, the primary one first.' },
    required: true,
    maxItems: 8,
    items: positionLength,
    convertEntry: toPosition,
    entryProblem: (entry) => textProblem(entry, { min: positionLength.minLength, max: positionLength.maxLength }),
  })
  position!: string[];

  @field(
    {
      description: 'The jersey number, a string kept as sent: `00` and `0` are different.',
      example: '07',
      response: { description: 'The jersey number, a string.' },
      clearable: true,
    },
    { convert: trim, schema: { type: String, minLength: 1, maxLength: 4 }, stored: 'String' },
    Matches(visibleCharacters, { message: 'must be a string of 1 to 4 visible characters' }),
  )
  jerseyNumber?: string;

  @UrlField({
    description: "URL of the player's picture.",
    example: 'https://cdn.example.com/players/jordan-lee.jpg',
    clearable: true,
  })
  profilePicture?: string;
}

/** Returns a known position in upper case, and any other text trimmed. */
function toPosition(raw: unknown): unknown {
  const text = trim(raw);
  // The upper case of some non-ASCII letters is ASCII, such as ſ and S.
  const upper = typeof text === 'string' && /^[A-Za-z]+$/.test(text) ? text.toUpperCase() : '';
  return knownPositions.includes(upper) ? upper : text;
}

@Schema({ collection: 'players', ...storage })
export class PlayerRecord extends Stored(Player) {
  /** Set by writes of statistics with the player, which an erasure must not overlap. */
  @Prop({ type: Date }) statisticsWrittenAt?: Date;
  /** The teams and numbers before, for statistics of past games. */
  @Prop({ type: 'Mixed' }) formerRosters?: readonly Former<Pick<Player, 'teamId' | 'jerseyNumber'>>[];
}

export const namedFields = [
  ...(['_id', 'externalId', 'name', 'createdAt', 'deletedAt'] as const),
  ...(['teamId', 'jerseyNumber', 'formerRosters'] as const),
] as const satisfies (keyof PlayerRecord)[];

/** A player whom a statistics row names, with the teams and numbers of before. */
export type NamedPlayer = Pick<PlayerRecord, (typeof namedFields)[number]>;

/** Returns the schema, whose TTL index erases deleted players after the configured time. */
export function playerSchemaFor({ deletedPlayerRetentionDays: days }: Configuration) {
  const schema = syncedSchema(PlayerRecord, { teamId: 1 });
  // Serves the list of a team's players by creation time.
  schema.index({ organizationId: 1, teamId: 1, deletedAt: 1, createdAt: 1, _id: 1 }, { name: 'players_of_team' });
  // Serves the list of an organization's players by creation time, even of the many teams of a season.
  const byCreation = { organizationId: 1, deletedAt: 1, createdAt: 1, _id: 1, teamId: 1 } as const;
  schema.index(byCreation, { name: 'players_of_organization' });
  // Serves the list of an organization's players with an external ID, which several teams and deleted players can have.
  const hasExternalId = { externalId: { $exists: true } };
  const byExternalId = { organizationId: 1, externalId: 1, createdAt: 1, _id: 1 } as const;
  schema.index(byExternalId, { name: 'players_by_own_id', partialFilterExpression: hasExternalId });
  // Serves the search of players, in the order of their names.
  addNameIndex(schema, 'name', 'players_by_name');
  // Serves the query whether an organization's players have changed, and the list of those that have since a time.
  schema.index({ organizationId: 1, updatedAt: 1 }, { name: 'players_by_change' });
  // Otherwise every player would be in the index, and a query for `deletedAt: null` could choose it.
  const onlyDeleted = { deletedAt: { $type: 'date' } };
  const options = { name: 'deleted_players', expireAfterSeconds: days * 86_400, partialFilterExpression: onlyDeleted };
  return schema.index({ deletedAt: 1 }, options);
}
