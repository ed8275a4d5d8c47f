import { Controller, Get } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Context, IntegrationRoute, RequiresNoScope } from '../../access/access.decorators.js';
import { publicPrefix } from '../../access/public-api.js';
import type { RequestContext } from '../../access/request-context.js';
import { ApiKeysService } from './api-keys.service.js';
import { OwnKeyDataResponse } from './own-key.dto.js';

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
  @ApiOkResponse({ type: OwnKeyDataResponse, description: 'The key.' })
  async getKey(@Context() context: RequestContext): Promise<OwnKeyDataResponse> {
    return { data: await this.keys.describe(context) };
  }
}
