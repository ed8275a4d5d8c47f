import { Controller, Get, Query } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { ApiErrors, Context, IntegrationRoute, RequiresScope } from '../../access/access.decorators.js';
import type { RequestContext } from '../../access/request-context.js';
import { publicPrefix } from '../../access/public-api.js';
import { Returns } from '../../http/returns.decorator.js';
import { ChangesQuery, ChangesResponse } from './changes.dto.js';
import { ChangesService } from './changes.service.js';

@ApiTags('Changes')
@Controller(`${publicPrefix}/changes`)
@IntegrationRoute('changes')
export class ChangesController {
  constructor(private readonly changes: ChangesService) {}

  @Get()
  @RequiresScope('changes:read')
  @ApiOperation({
    summary: 'List changes',
    description:
      "Lists the organization's records and shared seasons in the order of their latest changes, each once. Without `cursor` it starts with the oldest: follow `nextCursor` while `hasMore` is true to read all records, then poll with the last `nextCursor` to read what has changed since. A change can be delivered more than once; ignore a `revision` that you already have. Deleted records are listed for 30 days.",
  })
  @ApiErrors('cursorExpired')
  @Returns(ChangesResponse, 'The next changes.')
  listChanges(@Context() context: RequestContext, @Query() query: ChangesQuery) {
    return this.changes.list(context, query);
  }
}
