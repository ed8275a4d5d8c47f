import { Body, Controller, Get, Patch, Post, Query } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { AdminRoute, Context, ApiErrors } from '../../access/access.decorators.js';
import type { AdminContext } from '../../access/request-context.js';
import { mapPage } from '../../http/paging.js';
import { Returns } from '../../http/returns.decorator.js';
import { CreateSuperAdmin, NewUserResponse, PasswordResetDataResponse, toNewUserResponse } from './user.dto.js';
import { ListUsersQuery, toUserResponse, UpdateUser, UserId, UserListResponse, UserResponse } from './user.dto.js';
import { UsersService } from './users.service.js';

@ApiTags('Users')
@Controller('users')
@AdminRoute('superAdmin')
export class UsersController {
  constructor(private readonly users: UsersService) {}

  @Get()
  @ApiOperation({
    summary: 'List users',
    description: 'Lists the users of all organizations and the super admins, in order of creation.',
  })
  @Returns(UserListResponse, 'A page of users.')
  async listUsers(@Query() query: ListUsersQuery) {
    return mapPage(await this.users.list(query), toUserResponse);
  }

  @Post()
  @ApiOperation({
    summary: 'Create a super admin',
    description:
      'Creates a super admin without a password, and a token with which they set one (`POST /auth/password-reset`).',
  })
  @ApiErrors('alreadyExists')
  @Returns(NewUserResponse, 'The new super admin, with the token.', 201)
  async createSuperAdmin(@Context() context: AdminContext, @Body() body: CreateSuperAdmin) {
    return toNewUserResponse(await this.users.createSuperAdmin(context, body));
  }

  @Post(':userId/password-reset')
  @ApiOperation({
    summary: 'Create a token for a new password',
    description:
      'Creates a token with which another user of any role sets a password once within 24 hours (`POST /auth/password-reset`). An earlier token stops working. A new password or disabling the user removes the token. For yourself it returns 403 (`40303`).',
  })
  @Returns(PasswordResetDataResponse, 'The token.', 201)
  async createPasswordReset(@Context() context: AdminContext, @UserId() userId: string) {
    return { data: await this.users.createPasswordReset(context, userId) };
  }

  @Patch(':userId')
  @ApiOperation({
    summary: 'Update a user',
    description: 'Renames, disables or enables a user of any role. Disabling yourself returns 403 (`40303`).',
  })
  @Returns(UserResponse, 'The updated user.')
  async updateUser(@Context() context: AdminContext, @UserId() userId: string, @Body() body: UpdateUser) {
    return toUserResponse(await this.users.update(context, userId, body));
  }
}
