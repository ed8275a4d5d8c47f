import { Body, Controller, Get, HttpCode, Post, Req, Res } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { AdminRoute, ApiErrors, Context, EnrolmentRoute, OpenRoute } from '../../access/access.decorators.js';
import { type AdminContext, adminRoles, type AnonymousContext } from '../../access/request-context.js';
import { MessageResponse } from '../../http/paging.js';
import { toUserResponse, UserDataResponse } from '../users/user.dto.js';
import { UsersService } from '../users/users.service.js';
import { ChangePassword, Login, LoginResponse, ResetPassword } from './auth.dto.js';
import { AuthService } from './auth.service.js';
import { isFromOwnPage, keepForOwnPage } from './token-cookie.js';
import { TokensService } from './tokens.service.js';

@ApiTags('Authentication')
@Controller('auth')
export class AuthController {
  constructor(
    private readonly auth: AuthService,
    private readonly users: UsersService,
    private readonly tokens: TokensService,
  ) {}

  @Post('login')
  @OpenRoute()
  @HttpCode(200)
  @ApiOperation({
    summary: 'Log in',
    description:
      'Returns a token for the admin API. It is valid for one hour, or until its user logs out, changes the password or is disabled. A user with a second factor also sends a `code`: without one, or with a wrong one, the response is 401 (`40103`). A wrong code counts as a failed login.',
  })
  @ApiErrors('invalidLogin', 'secondFactorRejected', 'secondFactorUnavailable', 'authenticationLimited')
  @ApiOkResponse({ type: LoginResponse, description: 'The token.' })
  async login(
    @Context() context: AnonymousContext,
    @Body() body: Login,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<LoginResponse> {
    return keepForOwnPage(request, response, await this.auth.login(context, body));
  }

  @Post('refresh')
  @OpenRoute()
  @HttpCode(200)
  @ApiOperation({
    summary: 'Get the token of a reloaded page',
    description:
      'Returns the token with which a page of this server, such as the console, logged in. Only for browsers.',
  })
  @ApiErrors('invalidLogin')
  @ApiOkResponse({ type: LoginResponse, description: 'The token, with the time that it has left.' })
  refresh(@Req() request: Request): Promise<LoginResponse> {
    const token = /(?:^|; )token=([^;]*)/.exec(request.headers.cookie ?? '')?.[1];
    return this.tokens.resume(isFromOwnPage(request) ? token : undefined);
  }

  @Post('logout')
  @EnrolmentRoute()
  @HttpCode(200)
  @ApiOperation({ summary: 'Log out', description: 'Invalidates the token. Other tokens of the user stay valid.' })
  @ApiOkResponse({ type: MessageResponse, description: 'The token is invalid.' })
  async logout(@Context() context: AdminContext): Promise<MessageResponse> {
    await this.users.endSession(context);
    return { message: 'Logged out' };
  }

  @Post('password')
  @AdminRoute(...adminRoles)
  @HttpCode(200)
  @ApiOperation({
    summary: 'Change your password',
    description:
      'Changes the password of the current user, invalidates all their tokens, and returns a new token. A wrong `currentPassword` returns 401 (`40102`) and counts as a failed login.',
  })
  @ApiErrors('authenticationLimited')
  @ApiOkResponse({ type: LoginResponse, description: 'The new token.' })
  async changePassword(
    @Context() context: AdminContext,
    @Body() body: ChangePassword,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<LoginResponse> {
    return keepForOwnPage(request, response, await this.auth.changePassword(context, body));
  }

  @Post('password-reset')
  @OpenRoute()
  @HttpCode(200)
  @ApiOperation({
    summary: 'Set a password with a token',
    description:
      'Sets the password of the user for whom a super admin created the token, and invalidates all their login tokens. The second factor stays. A wrong token counts as a failed login.',
  })
  @ApiErrors('resetTokenInvalid', 'authenticationLimited')
  @ApiOkResponse({ type: MessageResponse, description: 'The password is set.' })
  async resetPassword(@Context() context: AnonymousContext, @Body() body: ResetPassword): Promise<MessageResponse> {
    await this.auth.resetPassword(context, body);
    return { message: 'Password set' };
  }

  @Get('me')
  @EnrolmentRoute()
  @ApiOperation({ summary: 'Get the current user', description: 'Returns the user to whom the token was issued.' })
  @ApiOkResponse({ type: UserDataResponse, description: 'The current user.' })
  async getMe(@Context() context: AdminContext): Promise<UserDataResponse> {
    return { data: toUserResponse(await this.users.get(context.user.id)) };
  }
}
