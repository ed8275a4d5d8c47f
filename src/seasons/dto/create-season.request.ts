import { Required } from '../../common/validation/field.js';
import { InstantField, RecordIdField, TextField } from '../../common/validation/fields.js';

/** A season to be made. */
export class CreateSeason {
  @TextField({ description: "The season's name.", max: 120, example: 'Spring 2027' })
  @Required()
  name!: string;

  @InstantField({ description: 'When it begins.', example: '2027-03-01T00:00:00Z' })
  @Required()
  startDate!: Date;

  @InstantField({ description: 'When it ends; after the beginning.', example: '2027-06-30T00:00:00Z' })
  @Required()
  endDate!: Date;

  @RecordIdField({
    description: 'The one organization that sees it. Left out: every organization.',
    example: '6650f1f77bcf86cd79943911',
  })
  organizationId?: string;
}
