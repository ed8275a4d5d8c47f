import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';
import { DateField, NumberField } from '../../validation/fields.js';
import { type RecordId, storage } from '../../database/record.js';

const count = { minimum: 0, integer: true, required: true };

/** The requests with API keys of an organization in one hour. */
export class HourUsage {
  @DateField({ description: 'The beginning of the hour.', example: '2027-05-01T10:00:00Z', required: true })
  hour!: Date;

  @NumberField({ description: 'The number of requests with an API key.', ...count, example: 1_200 })
  requests!: number;

  @NumberField({ description: 'The number of responses with a status of 400 or more.', ...count, example: 12 })
  errors!: number;
}

/** The requests of one key with one outcome. */
interface OutcomeCount {
  requests: number;
  /** The scope that the key lacked, or the address that it was refused from, of the latest request. */
  detail?: string;
}

/** The requests of one key with one outcome in a period. */
export interface OutcomeUsage extends OutcomeCount {
  /** API key, operation, status and error code; the first two are empty beyond the limit of outcomes. */
  readonly parts: readonly string[];
  readonly lastHour: Date;
  /** Empty without a key. */
  readonly apiKey: readonly { readonly _id: RecordId; readonly name: string; readonly keyPrefix: string }[];
}

/** The part of `HourUsage` that one process has counted. */
@Schema({ collection: 'requestCounts', ...storage })
export class RequestCount extends HourUsage {
  /** Organization, hour and process. */
  @Prop({ type: String }) readonly _id!: string;
  @Prop({ type: 'ObjectId', immutable: true }) readonly organizationId!: RecordId;
  /** Number of error responses by service code, which the error catalogue bounds. */
  @Prop({ type: 'Mixed' }) readonly errorCodes!: Record<string, number>;
  /** By `outcomeName`. */
  @Prop({ type: 'Mixed' }) readonly outcomes!: Map<string, OutcomeCount>;
}

/** The most outcomes that a process distinguishes per organization and hour, so that its counts stay small. */
const maxOutcomes = 200;

/** Counts an outcome of a key; beyond the limit, without its key and operation. */
export function countOutcome(
  outcomes: RequestCount['outcomes'],
  names: OutcomeNames,
  detail: string | undefined,
): void {
  const exact = outcomeName(names);
  const isCounted = outcomes.size < maxOutcomes || outcomes.has(exact);
  const name = isCounted ? exact : outcomeName({ ...names, apiKeyId: '', operation: '' });
  const count = outcomes.get(name) ?? { requests: 0 };
  count.requests++;
  if (detail !== undefined && isCounted) count.detail = detail;
  outcomes.set(name, count);
}

export interface OutcomeNames {
  readonly apiKeyId: string;
  readonly operation: string;
  readonly status: number;
  readonly errorCode: number | undefined;
}

/** The name of a field, and so without dots. */
const outcomeName = ({ apiKeyId, operation, status, errorCode = 0 }: OutcomeNames): string =>
  `${apiKeyId}|${operation}|${status}|${errorCode}`;

export const requestCountSchema = SchemaFactory.createForClass(RequestCount);

// Serves the usage of an organization.
requestCountSchema.index({ organizationId: 1, hour: 1 }, { name: 'usage_of_organization' });
// Removes counts after 7 days, and serves the usage of all organizations.
requestCountSchema.index({ hour: 1 }, { name: 'usage_expiry', expireAfterSeconds: 7 * 24 * 60 * 60 });
