import { Body, Controller, Get, HttpCode, Post, Req, Res } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { AdminRoute, Context, OpenRoute, ApiErrors } from '../../access/access.decorators.js';
import { type AdminContext, adminRoles, type AnonymousContext } from '../../access/request-context.js';
import { MessageResponse } from '../../http/paging.js';
import { toUserResponse, UserDataResponse } from '../users/user.dto.js';
import { UsersService } from '../users/users.service.js';
import { ChangePassword, Login, LoginResponse } from './auth.dto.js';
import { AuthService } from './auth.service.js';
import { TokensService } from './tokens.service.js';

/** Keeps the token of a page that is reloaded. Scripts cannot read it, and browsers send it only to one route. */
const cookieOptions = { path: '/auth/refresh', httpOnly: true, secure: true, sameSite: 'strict' } as const;

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
      'Returns a token for the admin API. It is valid for one hour, or until its user logs out, changes the password or is disabled.',
  })
  @ApiErrors('invalidLogin', 'authenticationLimited')
  @ApiOkResponse({ type: LoginResponse, description: 'The token.' })
  async login(
    @Context() context: AnonymousContext,
    @Body() body: Login,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<LoginResponse> {
    const login = await this.auth.login(context, body);
    if (isFromOwnPage(request)) response.cookie('token', login.accessToken, cookieOptions);
    return login;
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
  @AdminRoute(...adminRoles)
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
  changePassword(@Context() context: AdminContext, @Body() body: ChangePassword): Promise<LoginResponse> {
    return this.auth.changePassword(context, body);
  }

  @Get('me')
  @AdminRoute(...adminRoles)
  @ApiOperation({ summary: 'Get the current user', description: 'Returns the user to whom the token was issued.' })
  @ApiOkResponse({ type: UserDataResponse, description: 'The current user.' })
  async getMe(@Context() context: AdminContext): Promise<UserDataResponse> {
    return { data: toUserResponse(await this.users.get(context.user.id)) };
  }
}

/** Returns whether a page of this server sent the request. Browsers say so over HTTPS and on the same machine. */
function isFromOwnPage({ headers }: Request): boolean {
  return headers['sec-fetch-site'] === 'same-origin';
}
