import type { Schema } from 'mongoose';
import { DateField, RecordIdField, TextField } from '../../validation/fields.js';
import {
  CreatedAtField,
  recordSchema,
  type RecordId,
  reference,
  storedFields,
  storedFieldsOf,
} from '../../database/record.js';

/** An organization: the tenant that owns teams, players, schedules and API keys. */
export class Organization {
  @RecordIdField({ description: "The organization's ID.", example: '6650f1f77bcf86cd79943911', required: true })
  _id!: RecordId;

  @TextField({ description: "The organization's name.", max: 120, example: 'Bay Area Flag Football', required: true })
  name!: string;

  @DateField({
    description: 'When the organization was disabled. Omitted while the organization is enabled.',
    example: '2027-05-01T10:00:00Z',
  })
  disabledAt?: Date;

  @CreatedAtField()
  createdAt!: Date;
}

export interface OrganizationRecord extends Organization {
  /** The user in whose name the organization's API keys act. */
  creatorId: RecordId;
  updatedAt: Date;
}

export const organizationModel = 'Organization';

export const organizationSchema: Schema<OrganizationRecord> = recordSchema<OrganizationRecord>('organizations', {
  ...storedFields,
  ...storedFieldsOf(Organization),
  creatorId: reference,
});

// Serves the list of organizations in order of creation.
organizationSchema.index({ createdAt: 1, _id: 1 }, { name: 'organizations_by_creation' });
