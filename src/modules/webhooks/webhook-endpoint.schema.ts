import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';
import {
  BooleanField,
  ChoiceField,
  RecordIdField,
  TextField,
  TextListField,
  UrlField,
} from '../../validation/fields.js';
import { OrganizationIdField, type RecordId, storage, StoredRecord } from '../../database/record.js';
import { type DeliveryAttempt, type WebhookEvent, webhookEvents } from './webhook-delivery.schema.js';

/** Who or what disabled an endpoint. */
export const disabledReasons = ['organization', 'admin', 'gone', 'failing'] as const;
export type DisabledReason = (typeof disabledReasons)[number];

/** A URL of an organization that receives events. */
export class WebhookEndpoint extends StoredRecord {
  @RecordIdField({ description: 'The ID of the endpoint.', example: '6650f1f77bcf86cd79943991', required: true })
  override _id!: RecordId;

  @UrlField({
    description: 'The `https` URL that receives the events, without credentials.',
    example: 'https://erp.example.com/webhooks/flag-football',
    required: true,
  })
  url!: string;

  @TextListField({
    description: 'The events to send. Omit to send all.',
    example: ['schedule.updated', 'player-statistics.updated'],
    response: { description: 'The events that are sent.' },
    ifMissing: [...webhookEvents],
    maxItems: webhookEvents.length,
    omitTo: 'to send all events',
    items: { enum: [...webhookEvents], enumName: 'WebhookEvent' },
    clearable: true,
  })
  events?: WebhookEvent[];

  @TextField({ description: 'What the endpoint is for.', max: 200, example: 'ERP, production', clearable: true })
  description?: string;

  @BooleanField({ description: 'Whether events are sent.', example: true, createDefault: true })
  isEnabled!: boolean;

  @OrganizationIdField('The organization that the endpoint belongs to.')
  organizationId!: RecordId;

  @TextField({
    description: 'The start of the API key that created the endpoint.',
    max: 44,
    example: 'ffk_live_4fK2mZ81pQxT',
    immutable: true,
  })
  createdByKey?: string;

  @ChoiceField({
    description:
      'Disabled by the `organization` or a super admin (`admin`), by a response with 410 (`gone`), or after five days of failed attempts (`failing`).',
    choices: disabledReasons,
    enumName: 'DisabledReason',
    example: 'failing',
  })
  disabledReason?: DisabledReason;
}

/** Of an endpoint that is neither paused nor leased, even if the clock of this server is wrong. */
export const beforeAnyTime = new Date(0);

/** An endpoint as stored, with the state of its deliveries. */
@Schema({ collection: 'webhookEndpoints', ...storage })
export class WebhookEndpointRecord extends WebhookEndpoint {
  @Prop({ type: 'ObjectId' }) createdBy!: RecordId;
  /** 0 to 9, unique per organization, which limits the number of endpoints. */
  @Prop({ type: Number, immutable: true }) slot!: number;
  /** `whsec_` and 32 bytes in base64. */
  @Prop({ type: String }) secret!: string;
  /** Also signs until it expires. */
  @Prop({ type: 'Mixed' }) previousSecret?: { readonly secret: string; readonly expiresAt: Date };
  @Prop({ type: 'Mixed' }) lastDelivery?: DeliveryAttempt;
  /** The time of the first failure after the last success. */
  @Prop({ type: Date }) failingSince?: Date;
  /** Up to where in the change feed the endpoint has got all events. Enabling it sets the end of the feed. */
  @Prop({ type: String }) position?: string;
  /** Up to where changes have made the endpoint due: a server must see at least these, even after a failover. */
  @Prop({ type: String }) dispatched?: string;
  /** When the next delivery is due; unset if none is pending. */
  @Prop({ type: Date }) dueAt?: Date;
  /** No delivery starts before this time, because the endpoint failed, was slow or sent `Retry-After`. */
  @Prop({ type: Date }) pausedUntil!: Date;
  /** When the organization can get webhooks again; unset unless it has had as many as it may have per hour. */
  @Prop({ type: Date }) limitedUntil?: Date;
  /** The end of the lease: until then, only its holder delivers to the endpoint. */
  @Prop({ type: Date }) leasedUntil!: Date;
}

export const webhookEndpointSchema = SchemaFactory.createForClass(WebhookEndpointRecord);

// Serves the list of an organization's endpoints, and rejects the eleventh.
webhookEndpointSchema.index({ organizationId: 1, slot: 1 }, { name: 'one_endpoint_per_slot', unique: true });
// Serves the list of the endpoints of all organizations. Its filter is checked in the index.
webhookEndpointSchema.index(
  { failingSince: -1, _id: 1, isEnabled: 1, limitedUntil: 1, disabledReason: 1, url: 1 },
  { name: 'endpoints_failing_first' },
);
// Serves the search for due endpoints. Those that are paused or leased are skipped in the index.
webhookEndpointSchema.index({ isEnabled: 1, dueAt: 1, pausedUntil: 1, leasedUntil: 1 }, { name: 'due_endpoints' });
