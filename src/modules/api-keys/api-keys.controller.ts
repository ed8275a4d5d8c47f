import { Body, Controller, Delete, Get, Patch, Post, Query } from '@nestjs/common';
import { ApiBody, ApiOperation, ApiTags } from '@nestjs/swagger';
import { AdminRoute, ApiErrors, Context, IntegrationRoute, RequiresNoScope } from '../../access/access.decorators.js';
import { publicPrefix } from '../../access/public-api.js';
import type { AdminContext, RequestContext } from '../../access/request-context.js';
import { MessageResponse } from '../../http/paging.js';
import { Returns } from '../../http/returns.decorator.js';
import { Conditional } from '../../records/conditional.guard.js';
import { RecordIdParam } from '../../validation/ids.js';
import {
  ApiKeyDataResponse,
  ApiKeyListResponse,
  ApiKeyResponse,
  ApiKeyWithSecretResponse,
  CreateApiKey,
  ListApiKeysQuery,
  OwnKeyDataResponse,
  RotateApiKey,
  UpdateApiKey,
} from './api-key.dto.js';
import { ApiKeysService } from './api-keys.service.js';

const KeyId = () => RecordIdParam('id', "The key's ID.", '6650f1f77bcf86cd79943921', { unknown: 'apiKeyNotFound' });

@ApiTags('API keys')
@Controller('api-keys')
@AdminRoute('superAdmin')
export class ApiKeysController {
  constructor(private readonly keys: ApiKeysService) {}

  @Post()
  @ApiOperation({
    summary: 'Create an API key',
    description:
      'Creates an API key for an organization, optionally limited to scopes and client addresses. Store the complete key: no other response contains it.',
  })
  @ApiErrors('organizationNotFound')
  @Returns(ApiKeyWithSecretResponse, 'The new key with its secret.', 201)
  createApiKey(@Context() context: AdminContext, @Body() body: CreateApiKey) {
    return this.keys.create(context, body);
  }

  @Get()
  @ApiOperation({
    summary: 'List API keys',
    description:
      'Lists API keys in order of creation, including revoked ones: those of one organization or, without `organizationId`, of all. All filters combine.',
  })
  @ApiErrors('organizationNotFound')
  @Returns(ApiKeyListResponse, 'A page of keys.')
  listApiKeys(@Query() query: ListApiKeysQuery) {
    return this.keys.list(query);
  }

  @Get(':id')
  @ApiOperation({ summary: 'Get an API key', description: 'Returns an API key, which may be revoked.' })
  @Returns(ApiKeyDataResponse, 'The key.')
  async getApiKey(@KeyId() id: string) {
    return { data: await this.keys.getResponse(id) };
  }

  @Patch(':id')
  @Conditional('adminUpdate')
  @ApiOperation({
    summary: 'Update an API key',
    description:
      'Changes the name, scopes, client addresses or expiry of an API key; its secret stays the same. `null` clears `scopes`, `allowedAddresses` and `expiresAt`: the key then allows everything, from every address, and does not expire. The changes apply to the next request, on other servers within 0.5 seconds.',
  })
  @ApiErrors('apiKeyRevoked')
  @Returns(ApiKeyResponse, 'The updated key.')
  updateApiKey(@Context() context: AdminContext, @KeyId() id: string, @Body() body: UpdateApiKey) {
    return this.keys.update(context, id, body);
  }

  @Delete(':id')
  @ApiOperation({
    summary: 'Revoke an API key',
    description:
      'Revokes an API key permanently, with all its secrets. It stops working with the next request, on other servers within 0.5 seconds. Revoking a revoked key succeeds without a change.',
  })
  @Returns(MessageResponse, 'The key is revoked.')
  async revokeApiKey(@Context() context: AdminContext, @KeyId() id: string) {
    await this.keys.revoke(context, id);
    return { message: 'API key revoked' };
  }

  @Post(':id/rotate')
  @ApiOperation({
    summary: 'Rotate an API key',
    description:
      'Replaces the secret of an API key. Store the complete key: no other response contains it. The previous secret stops working immediately, or after `graceSeconds`. Any older secret stops working immediately. If two rotations run at the same time, one fails with 409 (`40904`) and changes nothing.',
  })
  @ApiBody({ type: RotateApiKey, required: false })
  @ApiErrors('apiKeyRevoked', 'apiKeyRotatedConcurrently')
  @Returns(ApiKeyWithSecretResponse, 'The key with its new secret.')
  rotateApiKey(@Context() context: AdminContext, @KeyId() id: string, @Body() body: RotateApiKey) {
    return this.keys.rotate(context, id, body);
  }

  @Delete(':id/previous-secret')
  @ApiOperation({
    summary: 'End the grace period of a previous secret',
    description:
      'Ends the grace period that a rotation with `graceSeconds` started: the previous secret stops working with the next request, on other servers within 0.5 seconds. Succeeds without a change if there is no grace period.',
  })
  @Returns(MessageResponse, 'Only the current secret works.')
  async endGracePeriod(@Context() context: AdminContext, @KeyId() id: string) {
    await this.keys.endGracePeriod(context, id);
    return { message: 'Previous secret revoked' };
  }
}

@ApiTags('Key')
@Controller(`${publicPrefix}/me`)
@IntegrationRoute('me')
export class OwnKeyController {
  constructor(private readonly keys: ApiKeysService) {}

  @Get()
  @RequiresNoScope()
  @ApiOperation({
    summary: 'Get the current key',
    description: 'Returns the organization, the scopes and the limits of the API key of the request. Needs no scope.',
  })
  @Returns(OwnKeyDataResponse, 'The key.')
  async getKey(@Context() context: RequestContext) {
    return { data: await this.keys.describe(context) };
  }
}
