import { ApiProperty, ApiPropertyOptional, IntersectionType, OmitType, PickType } from '@nestjs/swagger';
import { type KeyRejection, keyRejections } from '../../access/request-context.js';
import { errorCatalogue } from '../../errors/error-catalogue.js';
import { CursorDto, CursorField, defaultLimit, LimitField, PageDto, PageQuery } from '../../http/paging.js';
import { ResponseDto } from '../../validation/dto.js';
import { BooleanField, DateField, NumberField, RecordIdField, TextField } from '../../validation/fields.js';
import { ApiKeyResponse } from '../api-keys/api-key.dto.js';
import { OrganizationResponse, OwnerName } from '../organizations/organization.dto.js';
import { FailedRequestRecord } from './failed-request.schema.js';
import { HourUsage, type OutcomeUsage } from './request-count.schema.js';

const upTo = (maximum: number) => ({ minimum: 1, maximum, query: true });

const defaultHours = 24;

const HoursField = () =>
  NumberField({ description: 'The number of hours, including the current one.', ...upTo(168), default: defaultHours });

class UsageQuery {
  @HoursField()
  hours = defaultHours;
}

export class OrganizationUsageQuery extends UsageQuery {
  @RecordIdField({ description: 'Only requests with this API key.' })
  apiKeyId?: string;
}

export class ListUsageQuery extends UsageQuery {
  @NumberField({ description: 'The maximum number of organizations.', ...upTo(100), default: 10 })
  limit = 10;
}

export class HourUsageResponse extends ResponseDto(HourUsage) {
  @ApiPropertyOptional({
    type: 'object',
    additionalProperties: { type: 'integer' },
    description:
      'The number of error responses by service code, such as `40306` for a refused address. Omitted if there are none.',
    example: { 40305: 8, 42901: 4 },
  })
  errorsByCode?: Record<string, number> | undefined;
}

const hours = { description: 'One entry for each hour, oldest first.' };

export class HourlyUsageResponse {
  @ApiProperty({ type: [HourUsageResponse], ...hours })
  data!: HourUsageResponse[];
}

class OrganizationNameResponse extends PickType(OrganizationResponse, ['_id', 'name']) {}

export class OrganizationUsageResponse extends OmitType(HourUsageResponse, ['hour', 'errorsByCode']) {
  @ApiProperty({ description: 'The organization.' })
  organization!: OrganizationNameResponse;

  @ApiProperty({ type: [HourUsageResponse], ...hours })
  hours!: HourUsageResponse[];
}

export class UsageListResponse extends PageDto(OrganizationUsageResponse, {
  data: 'The organizations with the most requests, in descending order.',
  total: 'The number of organizations with requests in that time.',
}) {}

export class ListUsageOutcomesQuery extends PageQuery {
  @HoursField()
  hours = defaultHours;

  @RecordIdField({ description: 'Only requests with this API key.' })
  apiKeyId?: string;

  @BooleanField({
    description: '`true`: only responses with a status of 400 or more. `false`: only others.',
    query: true,
  })
  isError?: boolean;

  @BooleanField({ description: '`true`: only requests with a rejected key. `false`: only others.', query: true })
  isRejected?: boolean;
}

class UsedKeyResponse extends PickType(ApiKeyResponse, ['id', 'name', 'keyPrefix']) {}

export class UsageOutcomeResponse {
  @ApiPropertyOptional({
    type: UsedKeyResponse,
    description: 'The API key. Omitted for outcomes beyond the 200 that a server distinguishes per hour.',
  })
  apiKey?: UsedKeyResponse | undefined;

  @ApiPropertyOptional({
    type: String,
    description: 'The operation ID. Omitted whenever `apiKey` is, or if the key was rejected.',
    example: 'createSchedule',
  })
  operation?: string | undefined;

  @ApiPropertyOptional({
    description:
      'Why the key was rejected. `revoked` or `expired`: it had its secret. `wrongSecret`: its ID had another one. `disabled`: its organization, or the creator of that, is disabled.',
    enum: keyRejections,
    enumName: 'KeyRejection',
    example: 'revoked',
  })
  rejection?: KeyRejection | undefined;

  @ApiProperty({ type: 'integer', description: 'The status of the responses.', example: 403 })
  status!: number;

  @ApiPropertyOptional({ type: 'integer', description: 'The error code of the responses.', example: 40305 })
  errorCode?: number | undefined;

  @ApiPropertyOptional({
    type: String,
    description: 'What the error code means.',
    example: 'The API key lacks a required scope',
  })
  message?: string | undefined;

  @ApiPropertyOptional({
    type: String,
    description:
      'Of the latest request: the scope that the key lacks (`40305`), or the address that was refused (`40306`) or used a rejected key.',
    example: 'schedules:write',
  })
  detail?: string | undefined;

  @ApiProperty({ type: 'integer', description: 'The number of requests.', example: 8 })
  requests!: number;

  @ApiProperty({
    format: 'date-time',
    description: 'The hour of the latest request.',
    example: '2027-05-01T10:00:00.000Z',
  })
  lastHour!: string;
}

export class UsageOutcomeListResponse extends PageDto(UsageOutcomeResponse, {
  data: 'The outcomes on this page, the most frequent first.',
  total: 'The number of outcomes that match.',
}) {}

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

const messages = new Map<number, string>(Object.values(errorCatalogue).map(({ code, message }) => [code, message]));

export function toOutcomeResponse({ parts, apiKey: [key], ...outcome }: OutcomeUsage): UsageOutcomeResponse {
  const [, operation, status, code] = parts;
  const rejection = keyRejections.find((reason) => reason === operation);
  const errorCode = Number(code) || undefined;
  return {
    apiKey: key && { id: String(key._id), name: key.name, keyPrefix: key.keyPrefix },
    operation: operation === '' || rejection !== undefined ? undefined : operation,
    rejection,
    status: Number(status),
    errorCode,
    message: errorCode === undefined ? undefined : messages.get(errorCode),
    detail: outcome.detail,
    requests: outcome.requests,
    lastHour: outcome.lastHour.toISOString(),
  };
}
