import { ApiProperty, ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';
import type { Schema } from 'mongoose';
import { type AdminRole, adminRoles } from '../../common/context/request-context.js';
import { recordSchema, type RecordId } from '../../database/record.js';

/** Every action that is recorded: the operations of the admin document that change something, and the operator's commands. */
export const auditActions = [
  'createApiKey',
  'rotateApiKey',
  'endGracePeriod',
  'revokeApiKey',
  'createOrganization',
  'updateOrganization',
  'createOrganizationAdmin',
  'createSuperAdmin',
  'updateUser',
  'disableUser',
  'changePassword',
  'resetPassword',
  'createSeason',
  'replacePlayerStatistics',
  'login',
] as const;
export type AuditAction = (typeof auditActions)[number];

const outcomes = ['done', 'refused'] as const;
const actorKinds = ['user', 'operator', 'server', 'stranger'] as const;
const targetKinds = ['apiKey', 'organization', 'user', 'season', 'schedule'] as const;
const exampleTime = '2027-05-01T10:00:00.000Z';
const idOf = (description: string, example: string) => ({ type: String, description, example });

/** Who acted. */
@ApiSchema({ name: 'AuditActorResponse' })
export class AuditActor {
  @ApiProperty({
    description:
      '`user`: a logged-in admin. `operator`: somebody at the command line of the server. `server`: the server by itself. `stranger`: whoever tried to log in and could not.',
    enum: actorKinds,
    example: 'user',
  })
  readonly kind!: (typeof actorKinds)[number];

  @ApiPropertyOptional(idOf("The admin's id.", '6650f1f77bcf86cd79943901'))
  readonly _id?: RecordId;

  @ApiPropertyOptional({
    description: "The admin's email at that time.",
    format: 'idn-email',
    example: 'dana.reyes@example.com',
  })
  readonly email?: string;

  @ApiPropertyOptional({ description: "The admin's role at that time.", enum: adminRoles, example: 'superAdmin' })
  readonly role?: AdminRole;
}

/** What was acted on. */
@ApiSchema({ name: 'AuditTargetResponse' })
export class AuditTarget {
  @ApiProperty({ description: 'What it is.', enum: targetKinds, example: 'apiKey' })
  readonly kind!: (typeof targetKinds)[number];

  @ApiProperty(idOf('Its id.', '6650f1f77bcf86cd79943921'))
  readonly _id!: RecordId;
}

/** One event: a change, a login, or a rejected login. Written once, never changed, free of secrets, and sent as it is stored. */
@ApiSchema({ name: 'AuditEventResponse' })
export class AuditEventRecord {
  @ApiProperty(idOf("The event's id.", '6650f1f77bcf86cd79943981'))
  _id!: RecordId;

  @ApiProperty({ type: String, format: 'date-time', description: 'When it happened.', example: exampleTime })
  at!: Date;

  /** One of `auditActions`; the schema rejects any other. */
  @ApiProperty({ description: "The operation's id, or the operator's command.", example: 'rotateApiKey' })
  action!: string;

  @ApiProperty({ description: 'What became of it.', enum: outcomes, example: 'done' })
  outcome!: (typeof outcomes)[number];

  @ApiPropertyOptional({
    type: 'integer',
    description: 'With `refused`: the error code of the rejected login.',
    example: 40102,
  })
  error?: number;

  @ApiProperty({ description: 'Who acted.' })
  actor!: AuditActor;

  @ApiPropertyOptional(idOf('The organization that the event concerns.', '6650f1f77bcf86cd79943911'))
  organizationId?: RecordId;

  @ApiPropertyOptional({ description: 'What was changed, or who logged in.' })
  target?: AuditTarget;

  @ApiPropertyOptional({
    type: 'object',
    additionalProperties: true,
    description: 'What became of the fields that were changed; never a secret.',
    example: { name: 'Registration platform' },
  })
  changes?: Readonly<Record<string, unknown>>;

  @ApiPropertyOptional({ description: "The client's address.", example: '203.0.113.7' })
  address?: string;

  @ApiPropertyOptional({
    description: "The request's id, as in `X-Request-Id`.",
    example: '5f6c1a52-7a3f-4b1e-9a53-2f2f6f0c9d11',
  })
  requestId?: string;
}

export const auditEventModel = 'AuditEvent';

export const auditEventSchema: Schema<AuditEventRecord> = recordSchema<AuditEventRecord>('auditEvents', {
  at: { type: Date, required: true },
  action: { type: String, required: true, enum: auditActions },
  outcome: { type: String, required: true, enum: outcomes },
  error: { type: Number },
  actor: { type: 'Mixed', required: true },
  organizationId: { type: 'ObjectId' },
  target: { type: 'Mixed' },
  changes: { type: 'Mixed' },
  address: { type: String },
  requestId: { type: String },
});

// Each list is newest first. A combination of filters uses the index of one of them and checks the others on its events.
// Serves the list of all events, and of a period.
auditEventSchema.index({ at: -1, _id: -1 }, { name: 'events_newest_first' });
// Serves the list of an organization's events.
auditEventSchema.index({ organizationId: 1, at: -1, _id: -1 }, { name: 'events_of_organization' });
// Serves the list of events with an action.
auditEventSchema.index({ action: 1, at: -1, _id: -1 }, { name: 'events_of_action' });
// Serves the list of what a user did.
auditEventSchema.index({ 'actor._id': 1, at: -1, _id: -1 }, { name: 'events_of_actor' });

function rejectChange(): never {
  throw new Error('The audit is append-only');
}

auditEventSchema.pre(/^(update|replace|delete|findOneAnd)/, { document: true, query: true }, rejectChange);
auditEventSchema.pre('bulkWrite', rejectChange);
auditEventSchema.pre('save', function () {
  if (!this.isNew) rejectChange();
});
