import { ApiProperty } from '@nestjs/swagger';
import { field } from '../../validation/field.js';
import { IsText } from '../../validation/rules.js';
import { EmailField, PasswordField, TextField } from '../../validation/fields.js';

const maxPasswordLength = 400;

/** An existing password. Accepts any text, because the rules apply to new passwords only. */
function CurrentPasswordField(description: string): PropertyDecorator {
  const schema = { type: String, format: 'password', maxLength: maxPasswordLength };
  const options = { description, example: 'correct horse battery', required: true };
  return field(options, { schema }, IsText({ max: maxPasswordLength, allowBlank: true }));
}

/** A code of the second factor. */
function CodeField(description: string, required = true): PropertyDecorator {
  return TextField({ description, max: 40, example: '492039', required });
}

export class Login {
  @EmailField({
    description: "The user's email address.",
    lowerCase: true,
    example: 'dana.reyes@example.com',
    required: true,
  })
  email!: string;

  @CurrentPasswordField("The user's password.")
  password!: string;

  @CodeField('A code of the second factor, or a recovery code. Required if the user has a second factor.', false)
  code?: string;
}

export class ConfirmSecondFactor {
  @CodeField('The code that the app shows.')
  code!: string;
}

export class CreateSecondFactor {
  @CurrentPasswordField('The current password.')
  password!: string;
}

export class DeleteSecondFactor extends CreateSecondFactor {
  @CodeField('A code that the app shows, or a recovery code.')
  code!: string;
}

export class ResetSecondFactor {
  @CurrentPasswordField('Your own password.')
  password!: string;

  @CodeField('A code of your own second factor.')
  code!: string;
}

export class ChangePassword {
  @CurrentPasswordField('The current password.')
  currentPassword!: string;

  @PasswordField({
    description: 'The new password. It must differ from the current one.',
    example: 'staple battery correct horse',
    required: true,
  })
  newPassword!: string;
}

export class ResetPassword {
  @TextField({
    description: 'The token that a super admin created.',
    max: 200,
    example: 'Jk2yOa5wN4b8Fq1xT7cV0eZ3mR6uP9sD_hG-iLkXoAw',
    required: true,
  })
  token!: string;

  @PasswordField({ description: 'The new password.', example: 'staple battery correct horse', required: true })
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

export class SecondFactorResponse {
  @ApiProperty({
    description: 'The secret, in base32, to type into an app.',
    example: 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP',
  })
  secret!: string;

  @ApiProperty({
    description: 'The same secret as a URI, to show as a QR code that an app scans.',
    example: 'otpauth://totp/Flag%20Football:dana.reyes%40example.com?issuer=Flag%20Football&secret=JBSWY3DPEHPK3PXP',
  })
  uri!: string;
}

export class RecoveryCodesResponse extends LoginResponse {
  @ApiProperty({
    description: 'Ten codes, each of which replaces a code of the app once. They are not shown again.',
    type: [String],
    example: ['K7VQ-2MXA-PL3D-ZR6T'],
  })
  recoveryCodes!: string[];
}
