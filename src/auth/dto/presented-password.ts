import { type Described } from '../../common/validation/fields.js';
import { Field } from '../../common/validation/field.js';
import { textProblem } from '../../common/validation/text.js';

const maximum = 400;

/**
 * A password that somebody says is theirs: any text, since what passwords must be is asked where they are made, and a
 * wrong one is refused as wrong.
 */
export function PresentedPasswordField(described: Described): PropertyDecorator {
  return Field({
    problem: (value) => textProblem(value, { max: maximum, blank: true }),
    schema: { ...described, type: String, format: 'password', maxLength: maximum },
  });
}
