import { Body, Controller, Patch } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { AdminRoute, Context, ApiErrors } from '../../access/access.decorators.js';
import type { AdminContext } from '../../access/request-context.js';
import { RecordIdParam } from '../../validation/ids.js';
import { toUserResponse, UpdateUser, UserResponse } from './user.dto.js';
import { UsersService } from './users.service.js';

@ApiTags('Users')
@Controller('users')
@AdminRoute('superAdmin')
export class UsersController {
  constructor(private readonly users: UsersService) {}

  @Patch(':userId')
  @ApiOperation({
    summary: 'Update a user',
    description: 'Renames, disables or enables a user of any role. Disabling yourself returns 403 (`40303`).',
  })
  @ApiErrors('userNotFound')
  @ApiOkResponse({ type: UserResponse, description: 'The updated user.' })
  async updateUser(
    @Context() context: AdminContext,
    @RecordIdParam('userId', "The user's ID.", '6650f1f77bcf86cd79943901') userId: string,
    @Body() body: UpdateUser,
  ): Promise<UserResponse> {
    return toUserResponse(await this.users.update(context, userId, body));
  }
}
