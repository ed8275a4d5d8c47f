import { PageQuery } from '../../common/http/paging.js';
import { Required } from '../../common/validation/field.js';
import { InstantField, RecordIdField, TextField } from '../../common/validation/fields.js';

/** A key to be made. */
export class CreateApiKey {
  @TextField({ description: 'What the key is for.', max: 120, example: 'Registration platform' })
  @Required()
  name!: string;

  @RecordIdField({ description: 'The one organization that the key is bound to.', example: '6650f1f77bcf86cd79943911' })
  @Required()
  organizationId!: string;

  @InstantField({
    description: 'From when on the key is dead; in the future. Left out: never.',
    example: '2028-01-01T00:00:00Z',
  })
  expiresAt?: Date;
}

/** Whose keys are listed. */
export class ListApiKeysQuery extends PageQuery {
  @RecordIdField({ description: 'The organization whose keys are listed.', example: '6650f1f77bcf86cd79943911' })
  @Required()
  organizationId!: string;
}
