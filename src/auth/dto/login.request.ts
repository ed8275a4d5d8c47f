import { Field, Required } from '../../common/validation/field.js';
import { EmailField } from '../../common/validation/fields.js';
import { textProblem } from '../../common/validation/text.js';

/** A login. */
export class Login {
  @EmailField({ description: "The user's email.", lowerCase: true, example: 'dana.reyes@example.com' })
  @Required()
  email!: string;

  // Any text: what passwords must be is asked where they are made, a wrong one is refused as wrong.
  @Field({
    problem: (value) => textProblem(value, { max: 400, blank: true }),
    schema: {
      type: String,
      format: 'password',
      maxLength: 400,
      description: "The user's password.",
      example: 'correct horse battery',
    },
  })
  @Required()
  password!: string;
}
