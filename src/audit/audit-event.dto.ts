import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { type AdminRole, adminRoles } from '../common/context/request-context.js';
import { CursorField, NextCursorProperty } from '../common/http/paging.js';
import { ChoiceField, QueryInstantField, QueryIntegerField, RecordIdField } from '../common/validation/fields.js';
import {
  type AuditAction,
  auditActions,
  type AuditActor,
  auditActorKinds,
  auditOutcomes,
  type AuditTarget,
  auditTargetKinds,
} from './audit-event.schema.js';

const organizationId = '6650f1f77bcf86cd79943911';
const userId = '6650f1f77bcf86cd79943901';

/** Query of `GET /audit-events`. Filters combine. */
export class ListAuditEventsQuery {
  @RecordIdField({ description: 'Only those on this organization. Left out: all.', example: organizationId })
  organizationId?: string;

  @ChoiceField({ description: 'Only those with this action. Left out: all.', choices: auditActions, example: 'login' })
  action?: AuditAction;

  @RecordIdField({ description: 'Only what this user did. Left out: everything.', example: userId })
  actorId?: string;

  @QueryInstantField({ description: 'Only those at this time or later.', example: '2027-05-01T00:00:00Z' })
  from?: Date;

  @QueryInstantField({ description: 'Only those before this time.', example: '2027-05-02T00:00:00Z' })
  to?: Date;

  @CursorField()
  cursor?: string;

  @QueryIntegerField({ description: 'How many events a page has.', minimum: 1, maximum: 100, example: 20 })
  @ApiProperty({ default: 20 })
  limit = 20;
}

/** Who acted. */
export class AuditActorResponse {
  @ApiProperty({
    description:
      '`user`: a logged-in admin. `operator`: somebody at the command line of the server. `server`: the server by itself. `stranger`: whoever tried to log in and could not.',
    enum: auditActorKinds,
    example: 'user',
  })
  kind!: AuditActor['kind'];

  @ApiPropertyOptional({ description: "The admin's id.", example: userId })
  _id?: string;

  @ApiPropertyOptional({
    description: "The admin's email at that time.",
    format: 'idn-email',
    example: 'dana.reyes@example.com',
  })
  email?: string;

  @ApiPropertyOptional({ description: "The admin's role at that time.", enum: adminRoles, example: 'superAdmin' })
  role?: AdminRole;
}

/** What was acted on. */
export class AuditTargetResponse {
  @ApiProperty({ description: 'What it is.', enum: auditTargetKinds, example: 'apiKey' })
  kind!: AuditTarget['kind'];

  @ApiProperty({ description: 'Its id.', example: '6650f1f77bcf86cd79943921' })
  _id!: string;
}

/** One event: a change, a login, or a rejected login. The stored event is sent as it is. */
export class AuditEventResponse {
  @ApiProperty({ description: "The event's id.", example: '6650f1f77bcf86cd79943981' })
  _id!: string;

  @ApiProperty({
    type: String,
    format: 'date-time',
    description: 'When it happened.',
    example: '2027-05-01T10:00:00.000Z',
  })
  at!: string;

  @ApiProperty({ description: "The operation's id, or the operator's command.", example: 'rotateApiKey' })
  action!: string;

  @ApiProperty({ description: 'What became of it.', enum: auditOutcomes, example: 'done' })
  outcome!: (typeof auditOutcomes)[number];

  @ApiPropertyOptional({
    type: 'integer',
    description: 'With `refused`: the error code of the rejected login.',
    example: 40102,
  })
  error?: number;

  @ApiProperty({ type: AuditActorResponse, description: 'Who acted.' })
  actor!: AuditActorResponse;

  @ApiPropertyOptional({ description: 'The organization that the event concerns.', example: organizationId })
  organizationId?: string;

  @ApiPropertyOptional({ type: AuditTargetResponse, description: 'What was changed, or who logged in.' })
  target?: AuditTargetResponse;

  @ApiPropertyOptional({
    type: 'object',
    additionalProperties: true,
    description: 'What became of the fields that were changed; never a secret.',
    example: { name: 'Registration platform' },
  })
  changes?: Record<string, unknown>;

  @ApiPropertyOptional({ description: "The client's address.", example: '203.0.113.7' })
  address?: string;

  @ApiPropertyOptional({
    description: "The request's id, as in `X-Request-Id`.",
    example: '5f6c1a52-7a3f-4b1e-9a53-2f2f6f0c9d11',
  })
  requestId?: string;
}

/** A page of events. */
export class AuditEventListResponse {
  @ApiProperty({ type: [AuditEventResponse], description: 'The page, newest first.' })
  data!: AuditEventResponse[];

  @NextCursorProperty()
  nextCursor?: string;
}
