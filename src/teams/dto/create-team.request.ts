import { DefaultsTo, Required } from '../../common/validation/field.js';
import { RecordIdField, TextField, UrlField } from '../../common/validation/fields.js';

/** A team to be made. */
export class CreateTeam {
  @TextField({ description: "The team's name.", max: 120, example: 'Bay Hawks' })
  @Required()
  name!: string;

  @RecordIdField({ description: 'The `_id` of a season.', example: '6650f1f77bcf86cd79943931' })
  @Required()
  season!: string;

  @TextField({
    description:
      'The kind of football; known values are `flag`, `tackle`, `touch` and `sevenOnSeven`, any other text is kept.',
    max: 40,
    example: 'flag',
  })
  @DefaultsTo('flag')
  footballType = 'flag';

  @TextField({
    description:
      'The age group; known values are `5U` to `19U`, `middleSchool`, `highSchool`, `college`, `adult`, `masters35` and `open`, any other text is kept.',
    max: 40,
    example: '12U',
  })
  @DefaultsTo('open')
  ageGroup = 'open';

  @TextField({
    description:
      "The team's gender; known values are `male`, `female`, `coed` (with quota rules) and `open` (no restriction), any other text is kept.",
    max: 40,
    example: 'coed',
  })
  @DefaultsTo('coed')
  gender = 'coed';

  @UrlField({ description: "Where the team's logo is.", example: 'https://cdn.example.com/logos/bay-hawks.png' })
  logoUrl?: string;
}
