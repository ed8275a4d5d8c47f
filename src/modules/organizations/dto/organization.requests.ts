import { BooleanField, EmailField, NestedField, PasswordField, TextField } from '../../../common/validation/fields.js';

/** A user to be made. */
export class CreateUser {
  @TextField({ description: "The user's name.", max: 120, example: 'Dana Reyes', required: true })
  name!: string;

  @EmailField({
    description: 'The address the user logs in with.',
    lowerCase: true,
    example: 'dana.reyes@example.com',
    required: true,
  })
  email!: string;

  @PasswordField({ description: 'The first password.', example: 'correct horse battery', required: true })
  password!: string;
}

/** An organization to be made, with its creator. */
export class CreateOrganization {
  @TextField({ description: "The organization's name.", max: 120, example: 'Bay Area Flag Football', required: true })
  name!: string;

  @NestedField({
    type: CreateUser,
    description: "The organization's creator, in whose name its keys act.",
    required: true,
  })
  creator!: CreateUser;
}

/** What is changed of an organization; a field that is not sent keeps its value. */
export class UpdateOrganization {
  @TextField({ description: "The organization's name.", max: 120, example: 'Bay Area Flag Football' })
  name?: string;

  @BooleanField({
    description:
      'True disables the organization: its keys are dead, and its creator and admins can neither log in nor use a token. False takes it back.',
    example: true,
  })
  disabled?: boolean;
}
