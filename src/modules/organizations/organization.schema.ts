import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';
import { ApiProperty } from '@nestjs/swagger';
import { BooleanField, DateField, RecordIdField, TextField } from '../../validation/fields.js';
import { CreatedAtField, type RecordId, storage } from '../../database/record.js';

/** An organization: the tenant that owns teams, players, schedules and API keys. */
export class Organization {
  @RecordIdField({ description: "The organization's ID.", example: '6650f1f77bcf86cd79943911', required: true })
  _id!: RecordId;

  @TextField({ description: "The organization's name.", max: 120, example: 'Bay Area Flag Football', required: true })
  name!: string;

  @BooleanField({
    description:
      'Whether the organization is a sandbox, in which partners test. Its API keys begin with the prefix of test keys. It stays as it was created.',
    example: false,
    createDefault: false,
    immutable: true,
    ifMissing: false,
  })
  isSandbox?: boolean;

  @DateField({
    description: 'When the organization was disabled. Omitted while the organization is enabled.',
    example: '2027-05-01T10:00:00Z',
  })
  disabledAt?: Date;

  @DateField({
    description: 'When the erasure of the organization began. While it runs, the organization cannot be changed.',
    example: '2027-05-01T10:00:00Z',
  })
  erasingSince?: Date;

  @CreatedAtField()
  createdAt!: Date;
}

/** How much of an organization is erased. */
export class ErasureProgress {
  @ApiProperty({ type: 'integer', description: 'How many records are deleted.', example: 12_000 })
  done!: number;

  @ApiProperty({ type: 'integer', description: 'How many there were when the erasure began.', example: 30_000 })
  total!: number;
}

@Schema({ collection: 'organizations', ...storage })
export class OrganizationRecord extends Organization {
  /** The user in whose name the organization's API keys act. */
  @Prop({ type: 'ObjectId' }) creatorId!: RecordId;
  /** How many resets of a sandbox have started, and ended: the cursors of the change feed from before are invalid. */
  @Prop({ type: Number }) resets?: number;
  /** Until then, only the request that has started a reset may reset the sandbox. */
  @Prop({ type: Date }) resetUntil?: Date;
  /** Since the first server has begun to erase the organization. */
  @Prop({ type: 'Mixed' }) erasure?: ErasureProgress;
  @Prop({ type: Date }) updatedAt!: Date;
}

export const organizationSchema = SchemaFactory.createForClass(OrganizationRecord);

// Serves the list of organizations in order of creation.
organizationSchema.index({ createdAt: 1, _id: 1 }, { name: 'organizations_by_creation' });
// Serves the search for organizations that are being erased.
organizationSchema.index({ erasingSince: 1 }, { name: 'organizations_to_erase', sparse: true });
