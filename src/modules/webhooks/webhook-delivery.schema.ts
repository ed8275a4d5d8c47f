import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { ChoiceField, DateField } from '../../validation/fields.js';
import { type OrganizationRecord, type RecordId, storage } from '../../database/record.js';

/** The events that an endpoint can subscribe to. */
export const webhookEvents = [
  'season.created',
  'season.updated',
  'team.created',
  'team.updated',
  'team.deleted',
  'player.created',
  'player.updated',
  'player.deleted',
  'schedule.created',
  'schedule.updated',
  'schedule.deleted',
  'player-statistics.updated',
] as const;
export type WebhookEvent = (typeof webhookEvents)[number];

export const deliveryEvents = [...webhookEvents, 'ping'] as const;
export const deliveryStatuses = ['pending', 'succeeded', 'failed'] as const;
/** How long deliveries are kept. */
export const retentionSeconds = 30 * 24 * 60 * 60;
const example = '2027-05-01T10:00:00.000Z';

export class DeliveryAttempt {
  @DateField({ description: 'When the request was sent.', example, required: true })
  readonly at!: Date;

  @ApiPropertyOptional({ type: 'integer', description: 'The status of the response.', example: 200 })
  readonly statusCode?: number;

  @ApiPropertyOptional({ description: 'Why there was no response: a sentence or a code.', example: 'ECONNREFUSED' })
  readonly error?: string;

  @ApiProperty({ type: 'integer', description: 'The duration in milliseconds.', example: 87 })
  readonly durationMs!: number;
}

/** An event for one endpoint, with its attempts, in responses. */
export class WebhookDelivery {
  @ApiProperty({ type: String, description: 'The `webhook-id` of its requests.', example: '6650f1f77bcf86cd799439a1' })
  _id!: RecordId;

  @ChoiceField({ description: 'The event.', choices: deliveryEvents, enumName: 'DeliveryEvent', required: true })
  event!: (typeof deliveryEvents)[number];

  @ChoiceField({
    description:
      '`pending` until an attempt has `succeeded`; `failed` after the tenth one, or if a later `updated` event of the same record is pending instead.',
    choices: deliveryStatuses,
    enumName: 'DeliveryStatus',
    required: true,
  })
  status!: (typeof deliveryStatuses)[number];

  @ApiProperty({ type: [DeliveryAttempt], description: 'The latest 50 attempts, oldest first.' })
  @Prop({ type: 'Mixed' })
  attempts!: readonly DeliveryAttempt[];

  @DateField({ description: 'When the next attempt is due. Omitted unless the delivery is pending.', example })
  nextAttemptAt?: Date;

  @DateField({ description: 'When the event happened.', example, required: true, immutable: true })
  createdAt!: Date;
}

/** A delivery in responses to admins, who read the record with its ID. */
export class AnyDelivery extends WebhookDelivery {
  @ApiProperty({
    description: 'The record of the event: its kind and ID, with a dot between them. `ping` for a ping.',
    example: 'team.6650f1f77bcf86cd79943941',
  })
  record!: string;

  @ApiPropertyOptional({
    type: String,
    format: 'date-time',
    description:
      'About when the last attempt is due if all fail: then the delivery is `failed`. Only while it is pending.',
    example,
  })
  lastAttemptAt?: Date | undefined;
}

@Schema({ collection: 'webhookDeliveries', ...storage })
export class WebhookDeliveryRecord extends WebhookDelivery implements OrganizationRecord {
  @Prop({ type: 'ObjectId', immutable: true }) organizationId!: RecordId;
  @Prop({ type: 'ObjectId' }) endpointId!: RecordId;
  /** The kind and ID of the record of the event, or `ping`: see `AnyDelivery`. */
  @Prop({ type: String }) record!: string;
  @Prop({ type: Date }) updatedAt!: Date;
}

export const webhookDeliverySchema = SchemaFactory.createForClass(WebhookDeliveryRecord);

const ofEndpoint = { organizationId: 1, endpointId: 1 } as const;
// Serves the delivery log of an endpoint.
webhookDeliverySchema.index({ ...ofEndpoint, createdAt: -1, _id: -1 }, { name: 'deliveries_of_endpoint' });
// Serves the delivery log with one status.
webhookDeliverySchema.index({ ...ofEndpoint, status: 1, createdAt: -1, _id: -1 }, { name: 'deliveries_by_status' });
// Serves the recovery of the deliveries that failed since a time.
webhookDeliverySchema.index(
  { ...ofEndpoint, 'attempts.at': 1 },
  { name: 'failed_deliveries', partialFilterExpression: { status: 'failed' } },
);
// Serves the search for the next delivery of an endpoint.
webhookDeliverySchema.index(
  { ...ofEndpoint, nextAttemptAt: 1, _id: 1 },
  { name: 'pending_deliveries', partialFilterExpression: { status: 'pending' } },
);
// Serves the export of a player.
webhookDeliverySchema.index({ organizationId: 1, record: 1 }, { name: 'deliveries_of_record' });
// Removes old deliveries.
webhookDeliverySchema.index({ createdAt: 1 }, { name: 'deliveries_expiry', expireAfterSeconds: retentionSeconds });
