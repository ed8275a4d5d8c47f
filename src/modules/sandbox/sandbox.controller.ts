import { Controller, Post } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { ApiErrors, Context, IntegrationRoute, RequiresScope } from '../../access/access.decorators.js';
import { publicPrefix } from '../../access/public-api.js';
import type { RequestContext } from '../../access/request-context.js';
import { MessageResponse } from '../../http/paging.js';
import { Returns } from '../../http/returns.decorator.js';
import { SandboxService } from './sandbox.service.js';

@ApiTags('Sandbox')
@Controller(`${publicPrefix}/sandbox`)
@IntegrationRoute('sandbox')
export class SandboxController {
  constructor(private readonly sandbox: SandboxService) {}

  @Post('reset')
  @RequiresScope('sandbox:write')
  @ApiOperation({
    summary: 'Reset a sandbox',
    description:
      'Deletes all records of a sandbox, with their external IDs, the change feed and the delivery logs, and creates the demo league. Keys and webhook endpoints stay. Earlier cursors of `GET /changes` return 410 (`41001`). After a `503`, repeat the request: it begins again.',
  })
  @ApiErrors('sandboxOnly')
  @Returns(MessageResponse, 'The sandbox contains the demo league.')
  async resetSandbox(@Context() context: RequestContext) {
    await this.sandbox.reset(context);
    return { message: 'Sandbox reset' };
  }
}
