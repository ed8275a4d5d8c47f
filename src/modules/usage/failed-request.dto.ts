import { IntersectionType, OmitType } from '@nestjs/swagger';
import { CursorDto, CursorField, defaultLimit, LimitField } from '../../http/paging.js';
import { DateField, NumberField, RecordIdField, TextField } from '../../validation/fields.js';
import { OwnerName } from '../organizations/organization.dto.js';
import { FailedRequestRecord } from './failed-request.schema.js';

export class ListFailedRequestsQuery {
  @TextField({ description: 'Only the request with this `traceId`, the request ID of its response.', max: 128 })
  traceId?: string;

  @RecordIdField({ description: 'Only requests of this organization.' })
  organizationId?: string;

  @RecordIdField({ description: 'Only requests with this API key.' })
  apiKeyId?: string;

  @NumberField({ description: 'Only responses with this status.', minimum: 400, maximum: 599, query: true })
  status?: number;

  @NumberField({ description: 'Only this error code.', minimum: 40_000, maximum: 59_999, query: true })
  error?: number;

  @DateField({ description: 'Only requests at or after this time.', query: true })
  from?: Date;

  @DateField({ description: 'Only requests before this time.', query: true })
  to?: Date;

  @CursorField()
  cursor?: string;

  @LimitField('The number of requests per page.')
  limit = defaultLimit;
}

/** A request as stored, with the present name of its organization. */
class FailedRequestResponse extends IntersectionType(OmitType(FailedRequestRecord, ['_id']), OwnerName) {}

export class FailedRequestListResponse extends CursorDto(
  FailedRequestResponse,
  'The requests on this page, newest first.',
) {}
