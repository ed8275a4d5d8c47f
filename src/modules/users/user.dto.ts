import { ApiProperty } from '@nestjs/swagger';
import { DataDto, PageDto } from '../../http/paging.js';
import { CreateDto, jsonMapper, ResponseDto, UpdateDto } from '../../validation/dto.js';
import { BooleanField, PasswordField } from '../../validation/fields.js';
import { isDisabled } from './user.rules.js';
import { User, UserName } from './user.schema.js';

/** Body of `POST /organizations/{organizationId}/users`, and the creator of a new organization. */
export class CreateUser extends CreateDto(User, { omit: ['role', 'organizationId', 'disabledAt'] }) {
  @PasswordField({ description: 'The initial password.', example: 'correct horse battery', required: true })
  password!: string;
}

export class UpdateUser extends UpdateDto(User, { omit: ['email', 'role', 'organizationId', 'disabledAt'] }) {
  @BooleanField({
    description:
      '`true` disables the user: they cannot log in, all their tokens become invalid permanently, and the API keys of an organization that they created stop working. `false` enables the user again; earlier tokens stay invalid.',
    example: true,
  })
  disabled?: boolean;
}

/** A user as named in other resources. */
export class UserNameResponse extends ResponseDto(UserName) {}

export class UserResponse extends ResponseDto(User) {
  @ApiProperty({
    description:
      'Whether the user is disabled. A disabled user cannot log in, and the API keys of an organization that they created do not work.',
    example: false,
  })
  disabled!: boolean;
}

export class UserDataResponse extends DataDto(UserResponse, 'The user.') {}

export class UserListResponse extends PageDto(UserResponse, {
  data: 'The users on this page, in order of creation.',
  total: 'The number of users in the organization.',
}) {}

export const toUserName: (user: UserName) => UserNameResponse = jsonMapper(UserName);

const toJson = jsonMapper(User);

export function toUserResponse(user: User): UserResponse {
  return { ...toJson(user), disabled: isDisabled(user) };
}
