import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { type AdminRole, adminRoles } from '../../access/request-context.js';
import { DataDto, PageDto, PageQuery } from '../../http/paging.js';
import { CreateDto, jsonMapper, ResponseDto, UpdateDto } from '../../validation/dto.js';
import { BooleanField, ChoiceField, PasswordField, TextField } from '../../validation/fields.js';
import { RecordIdParam } from '../../validation/ids.js';
import { hasSecondFactor, isDisabled } from './user.rules.js';
import { type ListedUser, User, UserName, type UserRecord } from './user.schema.js';

export const UserId = () =>
  RecordIdParam('userId', "The user's ID.", '6650f1f77bcf86cd79943901', { unknown: 'userNotFound' });

export class CreateSuperAdmin extends CreateDto(User, { omit: ['role', 'organizationId', 'disabledAt'] }) {}

/** Also the creator of a new organization. */
export class CreateUser extends CreateSuperAdmin {
  @PasswordField({
    description: 'The initial password. If it is omitted, the response has a token with which the user sets one.',
    example: 'correct horse battery',
  })
  password?: string;
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
      'Whether the user is disabled. A disabled user cannot log in, and an organization that they created is out of service, as if it were disabled.',
    example: false,
  })
  disabled!: boolean;

  @ApiProperty({ description: 'Whether logging in requires a code of a second factor.', example: true })
  hasSecondFactor!: boolean;
}

export class PasswordResetResponse {
  @ApiProperty({
    description: 'The token for `POST /auth/password-reset`. It is not shown again, and works once.',
    example: 'Jk2yOa5wN4b8Fq1xT7cV0eZ3mR6uP9sD_hG-iLkXoAw',
  })
  token!: string;

  @ApiProperty({ type: String, format: 'date-time', description: 'When it expires.', example: '2027-05-02T10:00:00Z' })
  expiresAt!: Date;
}

export class PasswordResetDataResponse extends DataDto(PasswordResetResponse, 'The token.') {}

export const PasswordResetProperty = () =>
  ApiPropertyOptional({
    type: PasswordResetResponse,
    description: 'A token with which the new user sets a password. Omitted if the request has one.',
  });

export class NewUserResponse extends UserResponse {
  @PasswordResetProperty()
  passwordReset?: PasswordResetResponse | undefined;
}

export class UserDataResponse extends DataDto(UserResponse, 'The user.') {}

export class ListUsersQuery extends PageQuery {
  @TextField({ description: 'Only users whose name or email contains this text, ignoring case.', max: 200 })
  search?: string;

  @ChoiceField({ description: 'Only users with this role.', enumName: 'AdminRole', choices: adminRoles })
  role?: AdminRole;
}

export class UserListResponse extends PageDto(UserResponse, {
  data: 'The users on this page, in order of creation.',
  total: 'The number of users that match.',
}) {}

export const toUserName: (user: UserName) => UserNameResponse = jsonMapper(UserName);

const toJson = jsonMapper(User);

/** A created user and, without a password, the token with which they set one. */
export interface NewUser {
  readonly user: UserRecord;
  readonly passwordReset: PasswordResetResponse | undefined;
}

export const toNewUserResponse = ({ user, passwordReset }: NewUser): NewUserResponse =>
  Object.assign(toUserResponse(user), { passwordReset });

export function toUserResponse(user: ListedUser): UserResponse {
  return { ...toJson(user), disabled: isDisabled(user), hasSecondFactor: hasSecondFactor(user) };
}
