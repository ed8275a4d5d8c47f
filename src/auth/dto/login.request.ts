import { Required } from '../../common/validation/field.js';
import { EmailField } from '../../common/validation/fields.js';
import { PresentedPasswordField } from './presented-password.js';

/** A login. */
export class Login {
  @EmailField({ description: "The user's email.", lowerCase: true, example: 'dana.reyes@example.com' })
  @Required()
  email!: string;

  @PresentedPasswordField({ description: "The user's password.", example: 'correct horse battery' })
  @Required()
  password!: string;
}
