import { ApiProperty } from '@nestjs/swagger';
import { type AdminRole, adminRoles } from '../../common/context/request-context.js';
import { DataDto, PageDto } from '../../common/http/paging.js';
import { BooleanField, TextField } from '../../common/validation/fields.js';
import { disabledFields } from './account-update.js';
import type { ListedUser } from './users.repository.js';

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

/** Who did something. */
export class UserNameResponse {
  @ApiProperty({ description: "The user's id.", example: '6650f1f77bcf86cd79943901' })
  _id!: string;

  @ApiProperty({ description: "The user's name.", example: 'Dana Reyes' })
  name!: string;

  @ApiProperty({ description: "The user's email.", format: 'idn-email', example: 'dana.reyes@example.com' })
  email!: string;
}

/** A user as admins see one. */
export class UserResponse extends UserNameResponse {
  @ApiProperty({ description: 'What the user may do.', enum: adminRoles, example: 'organizationAdmin' })
  role!: AdminRole;

  @ApiProperty({
    description: 'The organization of a creator or an admin; left out for a super admin.',
    required: false,
    example: '6650f1f77bcf86cd79943911',
  })
  organizationId?: string;

  @ApiProperty({
    description: 'True: may not log in, and the keys of an organization that the user created are dead.',
    example: false,
  })
  disabled!: boolean;

  @ApiProperty({
    description: 'Since when the user is disabled; left out while they are not.',
    required: false,
    type: String,
    format: 'date-time',
    example: '2027-05-01T10:00:00.000Z',
  })
  disabledAt?: string;

  @ApiProperty({
    description: 'When the user was made.',
    type: String,
    format: 'date-time',
    example: '2027-03-01T09:00:00.000Z',
  })
  createdAt!: string;
}

/** One user. */
export class UserDataResponse extends DataDto(UserResponse, 'The user.') {}

/** A page of an organization's users. */
export class UserListResponse extends PageDto(UserResponse, {
  data: 'The page, in order of creation.',
  total: 'How many users the organization has in all.',
}) {}

/** The fields of a user that leave. */
export function toUserResponse(user: ListedUser): UserResponse {
  return {
    _id: String(user._id),
    name: user.name,
    email: user.email,
    role: user.role,
    ...(user.organizationId !== undefined && { organizationId: String(user.organizationId) }),
    ...disabledFields(user),
    createdAt: user.createdAt.toISOString(),
  };
}
