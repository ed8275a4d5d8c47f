import { Controller, Get, Module } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiProperty, ApiTags } from '@nestjs/swagger';
import { ApiKeysModule } from '../api-keys/api-keys.module.js';
import { OpenRoute } from '../../access/access.decorators.js';
import { errorCatalogue } from '../../common/errors/error-catalogue.js';
import { ServiceError } from '../../common/errors/service-error.js';
import { MetricsServer } from './metrics-server.js';
import { Readiness } from './readiness.js';

/** How the server is. */
export class HealthResponse {
  @ApiProperty({ description: 'Always `ok`; otherwise the answer is an error.', enum: ['ok'], example: 'ok' })
  status!: 'ok';
}

/** How a server is that may be sent requests. */
export class ReadyResponse extends HealthResponse {
  @ApiProperty({
    description:
      'What does not work as well as it could; absent where nothing is wrong. Requests are answered all the same.',
    required: false,
    type: [String],
    example: ['Redis does not answer: requests are counted in this process'],
  })
  degraded?: string[];
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
    description:
      '503 while the database is away, or the server is starting or stopping; `message` names all that is missing.',
  })
  @ApiOkResponse({ type: ReadyResponse, description: 'They may.' })
  async getReady(): Promise<ReadyResponse> {
    const obstacles = await this.readiness.obstacles();
    if (obstacles.length > 0) {
      throw new ServiceError(errorCatalogue.databaseUnavailable, {
        message: obstacles.join('; '),
        retryAfterSeconds: 1,
      });
    }
    const degraded = await this.readiness.degraded();
    return { status: 'ok', ...(degraded.length > 0 && { degraded }) };
  }
}

@Module({
  imports: [ApiKeysModule],
  controllers: [HealthController],
  providers: [Readiness, MetricsServer],
  exports: [Readiness, MetricsServer],
})
export class HealthModule {}
