import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { DataDto, ListDto, PageDto, PageQuery } from '../../common/http/paging.js';
import { CreateDto, jsonMapper, ResponseDto, UpdateDto } from '../../common/validation/dto.js';
import { BooleanField, ChoiceField } from '../../common/validation/fields.js';
import { DeliveryAttempt, WebhookDelivery } from './webhook-delivery.schema.js';
import { type DisabledReason, disabledReasons, WebhookEndpoint } from './webhook-endpoint.schema.js';
import type { ListedEndpoint } from './webhook-endpoints.repository.js';

const statuses = ['active', 'failing', 'disabled'] as const;

/** Body of `POST /webhook-endpoints`. */
export class CreateWebhookEndpoint extends CreateDto(WebhookEndpoint, { omit: ['isEnabled'] }) {}

/** Body of `PATCH /webhook-endpoints/{id}`. */
export class UpdateWebhookEndpoint extends UpdateDto(WebhookEndpoint, { omit: [] }) {}

/** Body of the admin route `PATCH /webhook-endpoints/{id}`. */
export class ToggleWebhookEndpoint {
  @BooleanField({ description: 'Whether events are sent.', required: true, example: false })
  isEnabled!: boolean;
}

/** A webhook endpoint in responses, without its secret. */
export class WebhookEndpointResponse extends ResponseDto(WebhookEndpoint) {
  @ApiProperty({
    description: '`failing`: the latest attempt failed. `disabled`: nothing is sent.',
    enum: statuses,
    enumName: 'WebhookEndpointStatus',
    example: 'active',
  })
  status!: (typeof statuses)[number];

  @ApiPropertyOptional({
    description:
      'Disabled by the `organization` or the `operator`, by a response with 410 (`gone`), or after five days of failed attempts (`failing`).',
    enum: disabledReasons,
    enumName: 'DisabledReason',
    example: 'failing',
  })
  disabledReason?: DisabledReason | undefined;

  @ApiPropertyOptional({ description: 'The latest attempt of a delivery.' })
  lastDelivery?: DeliveryAttempt;
}

/** A new endpoint, or one with a new secret: the only responses with a secret. */
export class WebhookEndpointWithSecretResponse extends WebhookEndpointResponse {
  @ApiProperty({
    description: 'Signs the requests (Standard Webhooks). It is returned only once.',
    example: 'whsec_<44 characters of base64>',
  })
  secret!: string;
}

/** One endpoint. */
export class WebhookEndpointDataResponse extends DataDto(WebhookEndpointResponse, 'The endpoint.') {}

/** The endpoints of an organization. */
export class WebhookEndpointListResponse extends PageDto(WebhookEndpointResponse, {
  data: 'The endpoints of the organization, at most ten.',
  total: 'The number of endpoints.',
}) {}

export class ListAllWebhookEndpointsQuery extends PageQuery {
  @ChoiceField({
    description: 'Only endpoints with this status.',
    enumName: 'WebhookEndpointStatus',
    choices: statuses,
  })
  status?: (typeof statuses)[number];
}

/** A webhook endpoint in the list of all organizations. */
export class OwnedWebhookEndpointResponse extends WebhookEndpointResponse {
  @ApiProperty({ description: 'The organization of the endpoint.', example: '6650f1f77bcf86cd79943911' })
  organizationId!: string;
}

/** A page of the endpoints of all organizations. */
export class AllWebhookEndpointsResponse extends PageDto(OwnedWebhookEndpointResponse, {
  data: 'The endpoints on this page, in order of creation.',
  total: 'The number of endpoints that match.',
}) {}

/** A page of the delivery log. */
export class DeliveryListResponse extends ListDto(WebhookDelivery, {
  data: 'The deliveries on this page, newest first.',
  total: 'The number of deliveries of the last 30 days.',
}) {}

const toJson = jsonMapper(WebhookEndpoint);

/** Maps a stored endpoint to the response, without its secret. */
export function toEndpointResponse(endpoint: ListedEndpoint): WebhookEndpointResponse {
  const { isEnabled, failingSince, disabledReason, lastDelivery } = endpoint;
  const status = !isEnabled ? 'disabled' : failingSince === undefined ? 'active' : 'failing';
  return { ...toJson(endpoint), status, disabledReason, ...(lastDelivery && { lastDelivery }) };
}
