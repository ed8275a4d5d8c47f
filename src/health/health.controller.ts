import { Controller, Get } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiProperty, ApiTags } from '@nestjs/swagger';
import { OpenRoute } from '../common/context/access.decorators.js';
import { errorCatalogue } from '../common/errors/error-catalogue.js';
import { ServiceError } from '../common/errors/service-error.js';
import { Readiness } from './readiness.js';

/** How the server is. */
export class HealthResponse {
  @ApiProperty({ description: 'Always `ok`; otherwise the answer is an error.', enum: ['ok'], example: 'ok' })
  status!: 'ok';
}

@ApiTags('Health')
@Controller('health')
@OpenRoute()
export class HealthController {
  constructor(private readonly readiness: Readiness) {}

  @Get('live')
  @ApiOperation({ summary: 'Is the process alive', description: '200 while the process works, whatever else is away.' })
  @ApiOkResponse({ type: HealthResponse, description: 'It is.' })
  getLive(): HealthResponse {
    return { status: 'ok' };
  }

  @Get('ready')
  @ApiOperation({
    summary: 'May requests be sent here',
    description: '503 while the database is away, or the server is starting or stopping.',
  })
  @ApiOkResponse({ type: HealthResponse, description: 'They may.' })
  async getReady(): Promise<HealthResponse> {
    const obstacle = await this.readiness.obstacle();
    if (obstacle === undefined) return { status: 'ok' };
    throw new ServiceError(errorCatalogue.databaseUnavailable, { message: obstacle, retryAfterSeconds: 1 });
  }
}
