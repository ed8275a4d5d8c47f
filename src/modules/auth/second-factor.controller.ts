import { Body, Controller, Delete, Post, UseInterceptors } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { AdminRoute, ApiErrors, Context, EnrolmentRoute } from '../../access/access.decorators.js';
import { type AdminContext, adminRoles } from '../../access/request-context.js';
import { MessageResponse } from '../../http/paging.js';
import { Returns } from '../../http/returns.decorator.js';
import { UserId } from '../users/user.dto.js';
import { ConfirmSecondFactor, CreateSecondFactor, DeleteSecondFactor, RecoveryCodesResponse } from './auth.dto.js';
import { ResetSecondFactor, SecondFactorResponse } from './auth.dto.js';
import { AuthService } from './auth.service.js';
import { TokenCookie } from './token-cookie.js';

@ApiTags('Authentication')
@Controller('auth/second-factor')
export class SecondFactorController {
  constructor(private readonly auth: AuthService) {}

  @Post()
  @EnrolmentRoute()
  @ApiOperation({
    summary: 'Set up a second factor',
    description:
      'Returns a new secret for an app that shows time-based one-time passwords (RFC 6238: SHA-1, 6 digits, 30 seconds). Logins do not need a code before the secret is confirmed. A wrong `password` returns 401 (`40102`) and counts as a failed login.',
  })
  @ApiErrors('secondFactorExists', 'secondFactorUnavailable', 'authenticationLimited')
  @Returns(SecondFactorResponse, 'The secret.', 201)
  createSecondFactor(@Context() context: AdminContext, @Body() { password }: CreateSecondFactor) {
    return this.auth.createSecondFactor(context, password);
  }

  @Post('confirm')
  @EnrolmentRoute()
  @UseInterceptors(TokenCookie)
  @ApiOperation({
    summary: 'Confirm the second factor',
    description:
      'Confirms the secret with a first code. Returns ten recovery codes, which are not shown again, and a new token: all earlier tokens of the user become invalid. From now on, `POST /auth/login` needs a `code`. A wrong code returns 401 (`40103`) and counts as a failed login.',
  })
  @ApiErrors('secondFactorRejected', 'secondFactorExists', 'secondFactorUnavailable', 'authenticationLimited')
  @Returns(RecoveryCodesResponse, 'The recovery codes and the new token.')
  confirmSecondFactor(@Context() context: AdminContext, @Body() { code }: ConfirmSecondFactor) {
    return this.auth.confirmSecondFactor(context, code);
  }

  @Delete()
  @AdminRoute(...adminRoles)
  @ApiOperation({
    summary: 'Remove the second factor',
    description:
      'Removes the second factor of the current user, and its recovery codes. A wrong `password` returns 401 (`40102`), a wrong `code` 401 (`40103`); both count as failed logins. Without a second factor, it does nothing.',
  })
  @ApiErrors('secondFactorRejected', 'secondFactorUnavailable', 'authenticationLimited')
  @Returns(MessageResponse, 'The second factor is removed.')
  async deleteSecondFactor(@Context() context: AdminContext, @Body() body: DeleteSecondFactor) {
    await this.auth.deleteSecondFactor(context, body);
    return { message: 'Second factor removed' };
  }
}

@ApiTags('Users')
@Controller('users/:userId/second-factor-reset')
export class SecondFactorResetController {
  constructor(private readonly auth: AuthService) {}

  @Post()
  @AdminRoute('superAdmin')
  @ApiOperation({
    summary: 'Reset the second factor of another user',
    description:
      'Removes the second factor of a user of any role who has lost their device, and invalidates all their tokens. Send your own password and a code of your own second factor, without which the response is 403 (`40308`). A wrong `password` returns 401 (`40102`), a wrong `code` 401 (`40103`); both count as failed logins. For yourself it returns 403 (`40303`). If the user has no second factor, it does nothing.',
  })
  @ApiErrors(
    'userNotFound',
    'secondFactorMissing',
    'secondFactorRejected',
    'secondFactorUnavailable',
    'authenticationLimited',
  )
  @Returns(MessageResponse, 'The user has no second factor.', 200)
  async resetSecondFactor(@Context() context: AdminContext, @UserId() userId: string, @Body() body: ResetSecondFactor) {
    await this.auth.resetSecondFactor(context, userId, body);
    return { message: 'Second factor removed' };
  }
}
