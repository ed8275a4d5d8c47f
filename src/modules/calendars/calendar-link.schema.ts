import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';
import { RecordIdField, TextField } from '../../validation/fields.js';
import { OrganizationIdField, type RecordId, storage, StoredRecord } from '../../database/record.js';

/** A secret URL at which calendar applications read the schedules of a team. */
export class CalendarLink extends StoredRecord {
  @RecordIdField({ description: 'The ID of the link.', example: '6650f1f77bcf86cd799439b1', required: true })
  override _id!: RecordId;

  @TextField({ description: 'Who uses the link.', max: 200, example: 'Parents of the Hawks' })
  description?: string;

  @RecordIdField({ description: 'The ID of the team.', example: '6650f1f77bcf86cd79943941', required: true })
  teamId!: RecordId;

  @OrganizationIdField('The organization that the link belongs to.')
  organizationId!: RecordId;
}

@Schema({ collection: 'calendarLinks', ...storage })
export class CalendarLinkRecord extends CalendarLink {
  @Prop({ type: 'ObjectId' }) createdBy!: RecordId;
  /** 0 to 19, unique per team, which limits the number of links. */
  @Prop({ type: Number, immutable: true }) slot!: number;
  /** SHA-256 of the token, which is random enough to need no slow hash. */
  @Prop({ type: String, immutable: true }) tokenHash!: string;
}

export const calendarLinkSchema = SchemaFactory.createForClass(CalendarLinkRecord);

// Serves the list of a team's links, and rejects the twenty-first.
calendarLinkSchema.index(
  { organizationId: 1, teamId: 1, slot: 1 },
  { name: 'one_calendar_link_per_slot', unique: true },
);
// Serves the look-up of a presented token.
calendarLinkSchema.index({ organizationId: 1, tokenHash: 1 }, { name: 'one_calendar_link_per_token', unique: true });
