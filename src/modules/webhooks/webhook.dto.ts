import { ApiProperty, ApiPropertyOptional, IntersectionType } from '@nestjs/swagger';
import type { Tenant } from '../../access/request-context.js';
import { DataDto, ListDto, ListQuery, PageDto, PageQuery } from '../../http/paging.js';
import { CreateDto, jsonMapper, ResponseDto, UpdateDto } from '../../validation/dto.js';
import {
  BooleanField,
  ChoiceField,
  ChoiceListField,
  DateField,
  RecordIdField,
  TextField,
} from '../../validation/fields.js';
import { RecordIdParam } from '../../validation/ids.js';
import type { Change } from '../audit/audit-trail.js';
import { OwnerName } from '../organizations/organization.dto.js';
import { AnyDelivery, DeliveryAttempt, deliveryStatuses, WebhookDelivery } from './webhook-delivery.schema.js';
import { type DisabledReason, disabledReasons, WebhookEndpoint } from './webhook-endpoint.schema.js';
import type { ListedEndpoint } from './webhook-endpoints.repository.js';

const statuses = ['active', 'limited', 'failing', 'disabled'] as const;

export const EndpointId = () =>
  RecordIdParam('id', 'The ID of the endpoint.', '6650f1f77bcf86cd79943991', { unknown: 'webhookEndpointNotFound' });

export const DeliveryId = () =>
  RecordIdParam('deliveryId', 'The ID of the delivery.', '6650f1f77bcf86cd799439a1', { unknown: 'deliveryNotFound' });

export class CreateWebhookEndpoint extends CreateDto(WebhookEndpoint, {
  omit: ['isEnabled', 'organizationId', 'createdByKey', 'disabledReason'],
}) {}

export class UpdateWebhookEndpoint extends UpdateDto(WebhookEndpoint, {
  omit: ['organizationId', 'createdByKey', 'disabledReason'],
}) {}

/** Body of the admin route `PATCH /webhook-endpoints/{id}`. */
export class ToggleWebhookEndpoint {
  @BooleanField({ description: 'Whether events are sent.', required: true, example: true })
  isEnabled!: boolean;
}

/** A webhook endpoint in responses, without its secret. */
export class WebhookEndpointResponse extends ResponseDto(WebhookEndpoint) {
  @ApiProperty({
    description:
      '`limited`: the organization has reached its hourly limit; the other events follow. `failing`: the latest attempt failed. `disabled`: nothing is sent.',
    enum: statuses,
    enumName: 'WebhookEndpointStatus',
    example: 'active',
  })
  status!: (typeof statuses)[number];

  @ApiPropertyOptional({ description: 'The latest attempt of a delivery.' })
  lastDelivery?: DeliveryAttempt;
}

/** A new endpoint, or one with a new secret: the only responses with a secret. */
export class WebhookEndpointWithSecretResponse extends WebhookEndpointResponse {
  @ApiProperty({
    description: 'Signing secret (`whsec_…`). Returned only in this response.',
    example: 'whsec_<44 characters of base64>',
  })
  secret!: string;
}

export class WebhookEndpointDataResponse extends DataDto(WebhookEndpointResponse, 'The endpoint.') {}

class AnyWebhookEndpointResponse extends IntersectionType(WebhookEndpointResponse, OwnerName) {}

export class AnyWebhookEndpointDataResponse extends DataDto(AnyWebhookEndpointResponse, 'The endpoint.') {}

const endpointList = { data: 'The endpoints.', total: 'The number of endpoints that match.' };

export class WebhookEndpointListResponse extends PageDto(WebhookEndpointResponse, endpointList) {}

export class AnyWebhookEndpointListResponse extends PageDto(AnyWebhookEndpointResponse, endpointList) {}

export class ListAllWebhookEndpointsQuery extends PageQuery {
  @RecordIdField({ description: 'Only endpoints of this organization.' })
  organizationId?: string;

  @TextField({ description: 'Only endpoints whose URL contains this text, ignoring case.', max: 200 })
  search?: string;

  @ChoiceField({
    description: 'Only endpoints with this status.',
    enumName: 'WebhookEndpointStatus',
    choices: statuses,
  })
  status?: (typeof statuses)[number];

  @ChoiceListField({
    description: 'Only endpoints that were disabled for these reasons, separated by commas or as repeated parameters.',
    enumName: 'DisabledReason',
    choices: disabledReasons,
  })
  disabledReason?: DisabledReason[];
}

export class ListDeliveriesQuery extends ListQuery {
  @ChoiceField({
    description: 'Only deliveries with this status.',
    enumName: 'DeliveryStatus',
    choices: deliveryStatuses,
  })
  status?: (typeof deliveryStatuses)[number];
}

export class RecoverDeliveries {
  @DateField({
    description: 'Deliveries whose latest attempt was at or after this time are sent again; at most 30 days ago.',
    required: true,
    example: '2027-05-01T10:00:00Z',
  })
  since!: Date;
}

class RecoveredDeliveries {
  @ApiProperty({ type: 'integer', minimum: 0, description: 'The number of deliveries to be sent again.', example: 12 })
  queued!: number;
}

/** Response of `POST /webhook-endpoints/{id}/recover`. */
export class RecoveredDeliveriesResponse extends DataDto(RecoveredDeliveries, 'What is sent again.') {}

const deliveryList = {
  data: 'The deliveries on this page, newest first.',
  total: 'The number of deliveries of the last 30 days that match.',
};

export class DeliveryListResponse extends ListDto(WebhookDelivery, deliveryList) {}

export class AnyDeliveryListResponse extends ListDto(AnyDelivery, deliveryList) {}

/** Returns the audit of a change. The path and the query of a URL can contain secrets of the receiver. */
export function toAuditChange(
  { organization }: Tenant,
  action: Change['action'],
  endpoint: Pick<ListedEndpoint, '_id' | 'url'>,
  { url, ...fields }: UpdateWebhookEndpoint & { readonly since?: Date } = {},
): Change {
  const name = new URL(endpoint.url).origin;
  const changes = { ...fields, ...(url !== undefined && { url: new URL(url).origin }) };
  const before = action === 'updateWebhookEndpoint' ? { ...endpoint, url: name } : undefined;
  return { action, id: String(endpoint._id), organizationId: organization.id, name, changes, before };
}

const toJson = jsonMapper(WebhookEndpoint);

/** Maps a stored endpoint to the response, without its secret. */
export function toEndpointResponse(endpoint: ListedEndpoint): WebhookEndpointResponse {
  const { isEnabled, failingSince, limitedUntil, lastDelivery } = endpoint;
  const enabledStatus = failingSince ? 'failing' : limitedUntil ? 'limited' : 'active';
  const status = isEnabled ? enabledStatus : 'disabled';
  return { ...toJson(endpoint), status, ...(lastDelivery && { lastDelivery }) };
}
