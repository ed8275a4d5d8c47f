import { Body, Controller, Get, HttpCode, Post } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { AdminRoute, Context, OpenRoute, ApiErrors } from '../../access/access.decorators.js';
import { type AdminContext, adminRoles, type AnonymousContext } from '../../common/context/request-context.js';
import { toUserResponse, UserDataResponse } from '../users/user.dto.js';
import { UsersService } from '../users/users.service.js';
import { ChangePassword, Login, LoginResponse } from './auth.dto.js';
import { AuthService } from './auth.service.js';

@ApiTags('Authentication')
@Controller('auth')
export class AuthController {
  constructor(
    private readonly auth: AuthService,
    private readonly users: UsersService,
  ) {}

  @Post('login')
  @OpenRoute()
  @HttpCode(200)
  @ApiOperation({
    summary: 'Log in',
    description: 'Returns a token for the admin API. It is valid for one hour, or until the password changes.',
  })
  @ApiErrors('invalidLogin', 'authenticationLimited')
  @ApiOkResponse({ type: LoginResponse, description: 'The token.' })
  login(@Context() context: AnonymousContext, @Body() body: Login): Promise<LoginResponse> {
    return this.auth.login(context, body);
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
