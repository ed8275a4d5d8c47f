import { Body, Controller, Delete, Get, Post, Req, UseInterceptors } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { AdminRoute, ApiErrors, Context, EnrolmentRoute, OpenRoute } from '../../access/access.decorators.js';
import { type AdminContext, adminRoles, type AnonymousContext } from '../../access/request-context.js';
import { ServiceError } from '../../errors/service-error.js';
import type { ApiRequest } from '../../http/api-request.js';
import { MessageResponse } from '../../http/paging.js';
import { Returns } from '../../http/returns.decorator.js';
import { HitCounter } from '../../rate-limit/hit-counter.js';
import { toUserResponse, UserDataResponse, UserId } from '../users/user.dto.js';
import { UsersService } from '../users/users.service.js';
import { ChangePassword, ConfirmSecondFactor, CreateSecondFactor, DeleteSecondFactor, Login } from './auth.dto.js';
import { LoginResponse, RecoveryCodesResponse, ResetPassword, ResetSecondFactor } from './auth.dto.js';
import { SecondFactorResponse } from './auth.dto.js';
import { AuthService } from './auth.service.js';
import { TokenCookie } from './token-cookie.js';
import { TokensService } from './tokens.service.js';

@ApiTags('Authentication')
@Controller('auth')
export class AuthController {
  constructor(
    private readonly auth: AuthService,
    private readonly users: UsersService,
    private readonly tokens: TokensService,
    private readonly counter: HitCounter,
    private readonly cookie: TokenCookie,
  ) {}

  @Post('login')
  @OpenRoute()
  @UseInterceptors(TokenCookie)
  @ApiOperation({
    summary: 'Log in',
    description:
      'Returns a token for the admin API. It is valid for one hour, or until its user logs out, changes the password or is disabled. A user with a second factor also sends a `code`: without one, or with a wrong one, the response is 401 (`40103`). A wrong code counts as a failed login.',
  })
  @ApiErrors('invalidLogin', 'secondFactorRejected', 'secondFactorUnavailable', 'authenticationLimited')
  @Returns(LoginResponse, 'The token.')
  login(@Context() context: AnonymousContext, @Body() body: Login) {
    return this.auth.login(context, body);
  }

  @Post('refresh')
  @OpenRoute()
  @ApiOperation({
    summary: 'Get the token of a reloaded page',
    description:
      'Returns the token with which a page of this server, such as the console, logged in. Only for browsers.',
  })
  @ApiErrors('invalidLogin', 'authenticationLimited')
  @Returns(LoginResponse, 'The token, with the time that it has left.')
  refresh(@Req() request: ApiRequest) {
    const token = this.cookie.readFromOwnPage(request);
    if (token === undefined) throw new ServiceError('invalidLogin');
    return this.tokens.resume(token).catch((error: unknown) => this.counter.countFailure(request, error));
  }

  @Post('logout')
  @EnrolmentRoute()
  @ApiOperation({ summary: 'Log out', description: 'Invalidates the token. Other tokens of the user stay valid.' })
  @Returns(MessageResponse, 'The token is invalid.')
  async logout(@Context() context: AdminContext) {
    await this.users.endSession(context);
    return { message: 'Logged out' };
  }

  @Post('password')
  @AdminRoute(...adminRoles)
  @UseInterceptors(TokenCookie)
  @ApiOperation({
    summary: 'Change your password',
    description:
      'Changes the password of the current user, invalidates all their tokens, and returns a new token. A wrong `currentPassword` returns 401 (`40102`) and counts as a failed login.',
  })
  @ApiErrors('authenticationLimited')
  @Returns(LoginResponse, 'The new token.')
  changePassword(@Context() context: AdminContext, @Body() body: ChangePassword) {
    return this.auth.changePassword(context, body);
  }

  @Post('password-reset')
  @OpenRoute()
  @ApiOperation({
    summary: 'Set a password with a token',
    description:
      'Sets the password of the user for whom a super admin created the token, and invalidates all their login tokens. The second factor stays. A wrong token counts as a failed login.',
  })
  @ApiErrors('resetTokenInvalid', 'authenticationLimited')
  @Returns(MessageResponse, 'The password is set.')
  async resetPassword(@Context() context: AnonymousContext, @Body() body: ResetPassword) {
    await this.auth.resetPassword(context, body);
    return { message: 'Password set' };
  }

  @Get('me')
  @EnrolmentRoute()
  @ApiOperation({ summary: 'Get the current user', description: 'Returns the user to whom the token was issued.' })
  @Returns(UserDataResponse, 'The current user.')
  async getMe(@Context() context: AdminContext) {
    return { data: toUserResponse(await this.users.get(context.user.id)) };
  }

  @Post('second-factor')
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

  @Post('second-factor/confirm')
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

  @Delete('second-factor')
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
  @ApiErrors('secondFactorMissing', 'secondFactorRejected', 'secondFactorUnavailable', 'authenticationLimited')
  @Returns(MessageResponse, 'The user has no second factor.', 200)
  async resetSecondFactor(@Context() context: AdminContext, @UserId() userId: string, @Body() body: ResetSecondFactor) {
    await this.auth.resetSecondFactor(context, userId, body);
    return { message: 'Second factor removed' };
  }
}
