import { Schema, SchemaFactory } from '@nestjs/mongoose';
import { ApiProperty, ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';
import { type AdminRole, adminRoles } from '../../access/request-context.js';
import type { Configuration } from '../../config/configuration.js';
import { RecordedField, type RecordId, storage } from '../../database/record.js';

/**
 * The recorded actions and the types of their records. An action is usually the operation ID of a change, or a command of
 * `npm run admin`; `readPlayer` records that an admin viewed a player, and `importRecords` that one sent rows.
 */
export const targetKindOf = {
  createApiKey: 'apiKey',
  updateApiKey: 'apiKey',
  rotateApiKey: 'apiKey',
  endGracePeriod: 'apiKey',
  revokeApiKey: 'apiKey',
  createOrganization: 'organization',
  updateOrganization: 'organization',
  eraseOrganization: 'organization',
  resetSandbox: 'organization',
  importRecords: 'organization',
  createOrganizationAdmin: 'user',
  createSuperAdmin: 'user',
  updateUser: 'user',
  disableUser: 'user',
  changePassword: 'user',
  resetPassword: 'user',
  createPasswordReset: 'user',
  createSeason: 'season',
  updateSeason: 'season',
  replacePlayerStatistics: 'schedule',
  erasePlayer: 'player',
  readPlayer: 'player',
  exportPlayer: 'player',
  createWebhookEndpoint: 'webhookEndpoint',
  updateWebhookEndpoint: 'webhookEndpoint',
  deleteWebhookEndpoint: 'webhookEndpoint',
  rotateWebhookSecret: 'webhookEndpoint',
  testWebhookEndpoint: 'webhookEndpoint',
  retryWebhookDelivery: 'webhookEndpoint',
  recoverWebhookEndpoint: 'webhookEndpoint',
  createCalendarLink: 'calendarLink',
  deleteCalendarLink: 'calendarLink',
  createSecondFactor: 'user',
  confirmSecondFactor: 'user',
  deleteSecondFactor: 'user',
  resetSecondFactor: 'user',
  login: 'user',
  logout: 'user',
} as const;
export type AuditAction = keyof typeof targetKindOf;
export const auditActions = Object.keys(targetKindOf) as AuditAction[];

const outcomes = ['success', 'failure'] as const;
const actorKinds = ['user', 'apiKey', 'cli', 'server', 'anonymous'] as const;
const targetKinds = [...new Set(Object.values(targetKindOf))];
const idOf = (description: string, example: string) => ({ type: String, description, example });
const optional = { required: false };
const optionalId = { type: String, ...optional };
const time = { type: String, format: 'date-time' };
const outcome = { enum: outcomes, enumName: 'AuditOutcome' };
const values = { type: 'object', additionalProperties: true, ...optional } as const;
const previousValues =
  'The earlier values of those fields that got another one; `null` if there was none. Only for updates.';

@ApiSchema({ name: 'AuditActorResponse' })
class AuditActor {
  @ApiProperty({
    description:
      '`user`: a logged-in admin. `apiKey`: an API key. `cli`: an operator on the command line. `server`: the server itself. `anonymous`: a client whose login was rejected.',
    enum: actorKinds,
    enumName: 'AuditActorKind',
    example: 'user',
  })
  readonly kind!: (typeof actorKinds)[number];

  @ApiPropertyOptional(idOf('The ID of the admin or the API key.', '6650f1f77bcf86cd79943901'))
  readonly _id?: RecordId;

  @ApiPropertyOptional({
    description: "The admin's email at the time of the event.",
    format: 'idn-email',
    example: 'dana.reyes@example.com',
  })
  readonly email?: string;

  @ApiPropertyOptional({ description: 'The start of the API key.', example: 'ffk_live_4fK2mZ81pQxT' })
  readonly keyPrefix?: string;

  @ApiPropertyOptional({
    description: "The admin's role at the time of the event.",
    enum: adminRoles,
    enumName: 'AdminRole',
    example: 'superAdmin',
  })
  readonly role?: AdminRole;
}

@ApiSchema({ name: 'AuditTargetResponse' })
class AuditTarget {
  @ApiProperty({
    description: 'The type of the record.',
    enum: targetKinds,
    enumName: 'AuditTargetKind',
    example: 'apiKey',
  })
  readonly kind!: (typeof targetKinds)[number];

  @ApiProperty(idOf("The record's ID.", '6650f1f77bcf86cd79943921'))
  readonly _id!: RecordId;

  @ApiPropertyOptional({
    type: String,
    description:
      "The record's name at the time of the event: an email of a user, the origin of a webhook endpoint's URL, the team of a calendar link. Omitted for players and schedules.",
    example: 'Registration platform',
  })
  readonly name?: string | undefined;
}

/**
 * A change, a login or a rejected login. It contains no secrets, and is returned as stored. Only the erasure of an organization
 * changes it: no field can be updated, and the repository has no method to delete events.
 */
@Schema({ collection: 'auditEvents', ...storage })
export class AuditEventRecord {
  @ApiProperty(idOf("The event's ID.", '6650f1f77bcf86cd79943981'))
  _id!: RecordId;

  @RecordedField(Date, 'When the event happened.', '2027-05-01T10:00:00.000Z', time)
  at!: Date;

  @RecordedField(String, 'Usually the operation ID, or a command of `npm run admin`.', 'rotateApiKey')
  action!: AuditAction;

  @RecordedField(String, '`success`, or `failure` for a wrong password or code.', 'success', outcome)
  outcome!: (typeof outcomes)[number];

  @RecordedField(Number, 'The error code of a failure.', 40102, { type: 'integer', ...optional })
  error?: number | undefined;

  @RecordedField('Mixed', 'The user or system that acted.')
  actor!: AuditActor;

  @RecordedField('ObjectId', 'The organization of the changed record.', '6650f1f77bcf86cd79943911', optionalId)
  organizationId?: RecordId | undefined;

  @RecordedField('Mixed', 'The changed record, or the user of a login.', undefined, optional)
  target?: AuditTarget;

  @RecordedField(
    'Mixed',
    'The new values of the changed fields, without secrets.',
    { name: 'Registration platform' },
    values,
  )
  changes?: object | undefined;

  @RecordedField('Mixed', previousValues, { name: 'Registration' }, values)
  previous?: object | undefined;

  @RecordedField(String, "The client's IP address.", '203.0.113.7', optional)
  address?: string | undefined;

  @RecordedField(String, 'The request ID, as in `X-Request-Id`.', '5f6c1a52-7a3f-4b1e-9a53-2f2f6f0c9d11', optional)
  requestId?: string;
}

/** The longest expiry of MongoDB, 68 years. An index that always exists needs no code that creates and drops it. */
const never = 2_147_483_647;

export const auditEventSchema = SchemaFactory.createForClass(AuditEventRecord);

// All lists are newest first. A combination of filters uses the index of one filter and checks the others on its
// events.
// Serves the list of all events, and of those in a period.
auditEventSchema.index({ at: -1, _id: -1 }, { name: 'events_newest_first' });
// Serves the list of an organization's events.
auditEventSchema.index({ organizationId: 1, at: -1, _id: -1 }, { name: 'events_of_organization' });
// Serves the list of events with an action.
auditEventSchema.index({ action: 1, at: -1, _id: -1 }, { name: 'events_of_action' });
// Serves the list of the events about a record.
auditEventSchema.index({ 'target._id': 1, at: -1, _id: -1 }, { name: 'events_of_target' });
// Serves the list of a user's actions.
auditEventSchema.index({ 'actor._id': 1, at: -1, _id: -1 }, { name: 'events_of_actor' });

/** Returns the schema, whose TTL index deletes events after the configured time. */
export function auditEventSchemaFor({ auditRetentionDays: days }: Configuration): typeof auditEventSchema {
  const expireAfterSeconds = days === undefined ? never : days * 86_400;
  return auditEventSchema.clone().index({ at: 1 }, { name: 'expiring_events', expireAfterSeconds });
}
