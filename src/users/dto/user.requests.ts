import { BooleanField, TextField } from '../../common/validation/fields.js';

/** What is changed of a user; a field that is not sent keeps its value. */
export class UpdateUser {
  @TextField({ description: "The user's name.", max: 120, example: 'Dana Reyes' })
  name?: string;

  @BooleanField({
    description:
      'True disables the user: all their tokens are dead for good, they may not log in, and the keys of an organization that they created are dead. False takes it back, but for the tokens.',
    example: true,
  })
  disabled?: boolean;
}
