import { Schema, SchemaFactory } from '@nestjs/mongoose';
import { ApiSchema, PickType } from '@nestjs/swagger';
import { type KeyRejection, keyRejections } from '../../access/request-context.js';
import { OrganizationIdField, RecordedField, type RecordId, storage } from '../../database/record.js';
import { ApiKeyResponse } from '../api-keys/api-key.dto.js';

@ApiSchema({ name: 'FailedRequestKeyResponse' })
class FailedRequestKey extends PickType(ApiKeyResponse, ['id', 'name', 'keyPrefix']) {}

const optional = { required: false };
const rejection = { enum: keyRejections, enumName: 'KeyRejection', ...optional };

/** A request of a known API key that got an error. Of what the client sent, it contains only names of fields. */
@Schema({ collection: 'failedRequests', ...storage })
export class FailedRequestRecord {
  readonly _id!: RecordId;
  @RecordedField(Date, 'When the response was sent.', '2027-05-01T10:00:00.000Z')
  at!: Date;
  @RecordedField(String, 'The request ID, as in the response.', '5f6c1a52-7a3f-4b1e-9a53-2f2f6f0c9d11')
  traceId!: string;
  @OrganizationIdField('The organization of the key.') organizationId!: RecordId;
  @RecordedField('Mixed', 'The API key, with its name at that time.')
  apiKey!: FailedRequestKey;
  @RecordedField(String, 'The operation ID.', 'createSchedule') operation!: string;
  @RecordedField(String, 'The HTTP method.', 'POST') method!: string;
  @RecordedField(String, 'The pattern of the path.', '/v1/public-api/schedules') route!: string;
  @RecordedField(Number, 'The status of the response.', 400, { type: 'integer' }) status!: number;
  @RecordedField(Number, 'The error code.', 40001, { type: 'integer' }) error!: number;
  @RecordedField(String, 'The message of the response, or of its code if it has `details`.', 'A field is invalid')
  message!: string;
  @RecordedField([String], 'The fields in `details`; `…` for a name that no field has.', ['startDate'], optional)
  fields?: string[] | undefined;
  @RecordedField(String, 'Why the key was rejected: see `rejection` of outcomes.', 'revoked', rejection)
  reason?: KeyRejection | undefined;
  @RecordedField(String, "The client's IP address.", '203.0.113.7', optional) address?: string | undefined;
  @RecordedField(Number, 'The time until the response was sent, in milliseconds.', 3.2) durationMs!: number;
}

export const failedRequestSchema = SchemaFactory.createForClass(FailedRequestRecord);

// All lists are newest first. A combination of filters uses the index of one filter and checks the others on its requests.
const newestFirst = { at: -1, _id: -1 } as const;
// Serves the list of all requests, and of those in a period.
failedRequestSchema.index(newestFirst, { name: 'failures_newest_first' });
// Serves the search for a request ID.
failedRequestSchema.index({ traceId: 1, ...newestFirst }, { name: 'failures_by_trace' });
// Serves the list of an organization's requests, and its erasure.
failedRequestSchema.index({ organizationId: 1, ...newestFirst }, { name: 'failures_of_organization' });
// Serves the list of a key's requests.
failedRequestSchema.index({ 'apiKey.id': 1, ...newestFirst }, { name: 'failures_of_key' });
// Serves the list of the requests with a status.
failedRequestSchema.index({ status: 1, ...newestFirst }, { name: 'failures_by_status' });
// Serves the list of the requests with an error code.
failedRequestSchema.index({ error: 1, ...newestFirst }, { name: 'failures_by_error' });
// Deletes requests after 7 days.
failedRequestSchema.index({ at: 1 }, { name: 'expiring_failures', expireAfterSeconds: 7 * 24 * 60 * 60 });
