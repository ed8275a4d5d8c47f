import { ApiProperty } from '@nestjs/swagger';
import { Field, type FieldOptions } from '../../common/validation/field.js';
import { EmailField, PasswordField } from '../../common/validation/fields.js';
import { textProblem } from '../../common/validation/text.js';

const maxPresentedLength = 400;

/**
 * A password that somebody says is theirs: any text, since what passwords must be is asked where they are made, and a
 * wrong one is refused as wrong.
 */
function PresentedPasswordField(options: FieldOptions): PropertyDecorator {
  return Field({
    ...options,
    problem: (value) => textProblem(value, { max: maxPresentedLength, allowBlank: true }),
    schema: { type: String, format: 'password', maxLength: maxPresentedLength },
  });
}

/** A login. */
export class Login {
  @EmailField({ description: "The user's email.", lowerCase: true, example: 'dana.reyes@example.com', required: true })
  email!: string;

  @PresentedPasswordField({ description: "The user's password.", example: 'correct horse battery', required: true })
  password!: string;
}

/** A new password for oneself. */
export class ChangePassword {
  @PresentedPasswordField({ description: 'The password until now.', example: 'correct horse battery', required: true })
  currentPassword!: string;

  @PasswordField({
    description: 'The password from now on: another one.',
    example: 'staple battery correct horse',
    required: true,
  })
  newPassword!: string;
}

/** What a login gives. */
export class LoginResponse {
  @ApiProperty({
    description: 'The token to send as `Authorization: Bearer …` on admin routes.',
    example: 'eyJhbGciOiJIUzI1NiJ9.e30.signature',
  })
  accessToken!: string;

  @ApiProperty({ description: 'How the token is sent.', enum: ['Bearer'], example: 'Bearer' })
  tokenType!: 'Bearer';

  @ApiProperty({ type: 'integer', description: 'How long the token is good for, in seconds.', example: 3600 })
  expiresIn!: number;
}
