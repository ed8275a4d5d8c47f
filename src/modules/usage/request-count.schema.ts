import type { Schema } from 'mongoose';
import { DateField, NumberField } from '../../validation/fields.js';
import { type RecordId, recordSchema, storedFieldsOf } from '../../database/record.js';

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

/** The part of `HourUsage` that one process has counted. */
export interface RequestCount extends HourUsage {
  /** Organization, hour and process. */
  readonly _id: string;
  readonly organizationId: RecordId;
  /** Number of error responses by service code, which the error catalogue bounds. */
  readonly errorCodes: Record<string, number>;
}

export const requestCountModel = 'RequestCount';

export const requestCountSchema: Schema<RequestCount> = recordSchema<RequestCount>('requestCounts', {
  _id: { type: String },
  organizationId: { type: 'ObjectId', immutable: true },
  ...storedFieldsOf(HourUsage),
  errorCodes: { type: 'Mixed' },
});

// Serves the usage of an organization.
requestCountSchema.index({ organizationId: 1, hour: 1 }, { name: 'usage_of_organization' });
// Removes counts after 7 days, and serves the usage of all organizations.
requestCountSchema.index({ hour: 1 }, { name: 'usage_expiry', expireAfterSeconds: 7 * 24 * 60 * 60 });
