import { Required } from '../../common/validation/field.js';
import { PasswordField } from '../../common/validation/fields.js';
import { PresentedPasswordField } from './presented-password.js';

/** A new password for oneself. */
export class ChangePassword {
  @PresentedPasswordField({ description: 'The password until now.', example: 'correct horse battery' })
  @Required()
  currentPassword!: string;

  @PasswordField({ description: 'The password from now on: another one.', example: 'staple battery correct horse' })
  @Required()
  newPassword!: string;
}
