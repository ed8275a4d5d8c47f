import { Body, Controller, Param, Patch } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import { AdminRoute, Context, ApiErrors } from '../../access/access.decorators.js';
import type { AdminContext } from '../../common/context/request-context.js';
import { RecordIdPipe } from '../../common/validation/record-id.pipe.js';
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
  @ApiParam({ name: 'userId', description: "The user's ID.", example: '6650f1f77bcf86cd79943901' })
  @ApiErrors('userNotFound')
  @ApiOkResponse({ type: UserResponse, description: 'The updated user.' })
  async updateUser(
    @Context() context: AdminContext,
    @Param('userId', RecordIdPipe) userId: string,
    @Body() body: UpdateUser,
  ): Promise<UserResponse> {
    return toUserResponse(await this.users.update(context, userId, body));
  }
}
