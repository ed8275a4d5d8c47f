import { Body, Controller, Get, Post, Req, UseInterceptors } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { AdminRoute, ApiErrors, Context, EnrolmentRoute, OpenRoute } from '../../access/access.decorators.js';
import { type AdminContext, adminRoles, type AnonymousContext } from '../../access/request-context.js';
import { ServiceError } from '../../errors/service-error.js';
import type { ApiRequest } from '../../http/api-request.js';
import { MessageResponse } from '../../http/paging.js';
import { Returns } from '../../http/returns.decorator.js';
import { HitCounter } from '../../rate-limit/hit-counter.js';
import { toUserResponse, UserDataResponse } from '../users/user.dto.js';
import { UsersService } from '../users/users.service.js';
import { ChangePassword, Login, LoginResponse, ResetPassword } from './auth.dto.js';
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
}
