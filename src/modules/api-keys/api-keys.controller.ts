import { Body, Controller, Delete, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { ApiBody, ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import { AdminRoute, Context, Rejects } from '../../access/access.decorators.js';
import type { AdminContext } from '../../common/context/request-context.js';
import { MessageResponse } from '../../common/http/paging.js';
import { RecordIdPipe } from '../../common/validation/record-id.pipe.js';
import { ApiKeyListResponse, ApiKeyWithSecretResponse } from './api-key.response.js';
import { ApiKeysService } from './api-keys.service.js';
import { CreateApiKey, ListApiKeysQuery, RotateApiKey } from './dto/api-key.requests.js';

const idParameter = { name: 'id', description: "The key's id.", example: '6650f1f77bcf86cd79943921' };

@ApiTags('API keys')
@Controller('api-keys')
@AdminRoute('superAdmin')
export class ApiKeysController {
  constructor(private readonly keys: ApiKeysService) {}

  @Post()
  @ApiOperation({
    summary: 'Create an API key',
    description:
      'Creates a key of one organization, limited to scopes and addresses where they are sent. The whole key is shown in this answer only.',
  })
  @Rejects('organizationNotFound')
  @ApiCreatedResponse({ type: ApiKeyWithSecretResponse, description: 'The key, with its secret.' })
  createApiKey(@Context() context: AdminContext, @Body() body: CreateApiKey): Promise<ApiKeyWithSecretResponse> {
    return this.keys.create(context, body);
  }

  @Get()
  @ApiOperation({
    summary: "List an organization's API keys",
    description: 'Lists the keys of one organization in order of creation, revoked ones too.',
  })
  @Rejects('organizationNotFound')
  @ApiOkResponse({ type: ApiKeyListResponse, description: 'A page of keys.' })
  listApiKeys(@Query() query: ListApiKeysQuery): Promise<ApiKeyListResponse> {
    return this.keys.list(query.organizationId, query);
  }

  @Delete(':id')
  @ApiOperation({
    summary: 'Revoke an API key',
    description:
      'Revokes a key for good: it is dead with the next request, with every secret of it. Revoking it again is no fault.',
  })
  @ApiParam(idParameter)
  @Rejects('apiKeyNotFound')
  @ApiOkResponse({ type: MessageResponse, description: 'The key is revoked.' })
  async revokeApiKey(
    @Context() context: AdminContext,
    @Param('id', RecordIdPipe) id: string,
  ): Promise<MessageResponse> {
    await this.keys.revoke(context, id);
    return { message: 'API key revoked' };
  }

  @Post(':id/rotate')
  @HttpCode(200)
  @ApiOperation({
    summary: 'Rotate an API key',
    description:
      'Gives a key a new secret, shown in this answer only. The old secret is dead when this answers, or works for `graceSeconds` more; one that was in grace before is dead either way. Of two rotations at once one is refused with 409 (`40904`) and changes nothing.',
  })
  @ApiParam(idParameter)
  @ApiBody({ type: RotateApiKey, required: false })
  @Rejects('apiKeyNotFound', 'apiKeyRevoked', 'changedMeanwhile')
  @ApiOkResponse({ type: ApiKeyWithSecretResponse, description: 'The key, with its new secret.' })
  rotateApiKey(
    @Context() context: AdminContext,
    @Param('id', RecordIdPipe) id: string,
    @Body() body: RotateApiKey,
  ): Promise<ApiKeyWithSecretResponse> {
    return this.keys.rotate(context, id, body);
  }

  @Delete(':id/previous-secret')
  @ApiOperation({
    summary: "End the grace of a key's previous secret",
    description:
      'After a rotation with `graceSeconds` the old secret is dead with the next request. Where none is in grace, that is no fault.',
  })
  @ApiParam(idParameter)
  @Rejects('apiKeyNotFound')
  @ApiOkResponse({ type: MessageResponse, description: 'Only the newest secret works.' })
  async endGracePeriod(
    @Context() context: AdminContext,
    @Param('id', RecordIdPipe) id: string,
  ): Promise<MessageResponse> {
    await this.keys.endGracePeriod(context, id);
    return { message: 'The previous secret is dead' };
  }
}
