import { Body, Controller, Delete, HttpCode, Post, Req, Res } from '@nestjs/common';
import { ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { AdminRoute, ApiErrors, Context, EnrolmentRoute } from '../../access/access.decorators.js';
import { type AdminContext, adminRoles } from '../../access/request-context.js';
import { MessageResponse } from '../../http/paging.js';
import { SecondFactorService } from '../users/second-factor.service.js';
import { ConfirmSecondFactor, DeleteSecondFactor, RecoveryCodesResponse, SecondFactorResponse } from './auth.dto.js';
import { AuthService } from './auth.service.js';
import { keepForOwnPage } from './token-cookie.js';

@ApiTags('Authentication')
@Controller('auth/second-factor')
export class SecondFactorController {
  constructor(
    private readonly auth: AuthService,
    private readonly secondFactors: SecondFactorService,
  ) {}

  @Post()
  @EnrolmentRoute()
  @ApiOperation({
    summary: 'Set up a second factor',
    description:
      'Returns a new secret for an app that shows time-based one-time passwords (RFC 6238: SHA-1, 6 digits, 30 seconds). Logins do not need a code before the secret is confirmed.',
  })
  @ApiErrors('secondFactorExists', 'secondFactorUnavailable')
  @ApiCreatedResponse({ type: SecondFactorResponse, description: 'The secret.' })
  createSecondFactor(@Context() context: AdminContext): Promise<SecondFactorResponse> {
    return this.secondFactors.create(context);
  }

  @Post('confirm')
  @EnrolmentRoute()
  @HttpCode(200)
  @ApiOperation({
    summary: 'Confirm the second factor',
    description:
      'Confirms the secret with a first code. Returns ten recovery codes, which are not shown again, and a new token: all earlier tokens of the user become invalid. From now on, `POST /auth/login` needs a `code`. A wrong code returns 401 (`40103`) and counts as a failed login.',
  })
  @ApiErrors('secondFactorRejected', 'secondFactorExists', 'secondFactorUnavailable', 'authenticationLimited')
  @ApiOkResponse({ type: RecoveryCodesResponse, description: 'The recovery codes and the new token.' })
  async confirmSecondFactor(
    @Context() context: AdminContext,
    @Body() { code }: ConfirmSecondFactor,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<RecoveryCodesResponse> {
    return keepForOwnPage(request, response, await this.auth.confirmSecondFactor(context, code));
  }

  @Delete()
  @AdminRoute(...adminRoles)
  @ApiOperation({
    summary: 'Remove the second factor',
    description:
      'Removes the second factor of the current user, and its recovery codes. A wrong `password` returns 401 (`40102`), a wrong `code` 401 (`40103`); both count as failed logins. Without a second factor, it does nothing.',
  })
  @ApiErrors('secondFactorRejected', 'secondFactorUnavailable', 'authenticationLimited')
  @ApiOkResponse({ type: MessageResponse, description: 'The second factor is removed.' })
  async deleteSecondFactor(
    @Context() context: AdminContext,
    @Body() body: DeleteSecondFactor,
  ): Promise<MessageResponse> {
    await this.auth.deleteSecondFactor(context, body);
    return { message: 'Second factor removed' };
  }
}
