import { ApiProperty } from '@nestjs/swagger';
import { Field, type FieldOptions } from '../../validation/field.js';
import { EmailField, PasswordField } from '../../validation/fields.js';
import { textProblem } from '../../validation/text.js';

const maxPasswordLength = 400;

/** An existing password. Accepts any text, because the rules apply to new passwords only. */
function CurrentPasswordField(options: FieldOptions): PropertyDecorator {
  return Field({
    ...options,
    problem: (value) => textProblem(value, { max: maxPasswordLength, allowBlank: true }),
    schema: { type: String, format: 'password', maxLength: maxPasswordLength },
  });
}

export class Login {
  @EmailField({
    description: "The user's email address.",
    lowerCase: true,
    example: 'dana.reyes@example.com',
    required: true,
  })
  email!: string;

  @CurrentPasswordField({ description: "The user's password.", example: 'correct horse battery', required: true })
  password!: string;
}

export class ChangePassword {
  @CurrentPasswordField({ description: 'The current password.', example: 'correct horse battery', required: true })
  currentPassword!: string;

  @PasswordField({
    description: 'The new password. It must differ from the current one.',
    example: 'staple battery correct horse',
    required: true,
  })
  newPassword!: string;
}

export class LoginResponse {
  @ApiProperty({
    description: 'The token to send as `Authorization: Bearer …` on admin routes.',
    example: 'eyJhbGciOiJIUzI1NiJ9.e30.signature',
  })
  accessToken!: string;

  @ApiProperty({ description: 'The type of the token.', enum: ['Bearer'], example: 'Bearer' })
  tokenType!: 'Bearer';

  @ApiProperty({ type: 'integer', description: 'The lifetime of the token in seconds.', example: 3600 })
  expiresIn!: number;
}
