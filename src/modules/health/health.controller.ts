import { Controller, Get } from '@nestjs/common';
import { ApiOperation, ApiProperty, ApiTags } from '@nestjs/swagger';
import { IgnoresQuery, OpenRoute } from '../../access/access.decorators.js';
import { Returns } from '../../http/returns.decorator.js';
import { ServiceError } from '../../errors/service-error.js';
import { build } from '../../config/package.js';
import { Readiness } from './readiness.js';

class HealthResponse {
  @ApiProperty({ description: 'Always `ok`. Otherwise the response is an error.', enum: ['ok'], example: 'ok' })
  status!: 'ok';

  @ApiProperty({ description: 'The version of the server.', example: '1.0.0' })
  version!: string;

  @ApiProperty({ description: 'The commit of the server, or `unknown`.', example: '8441e71c0a2f' })
  commit!: string;
}

class ReadyResponse extends HealthResponse {
  @ApiProperty({
    description: 'The reasons why the server is degraded although it serves requests. Omitted if it is not degraded.',
    required: false,
    type: [String],
    example: ['Redis is unreachable: rate limits apply per server'],
  })
  degraded?: string[];
}

@ApiTags('Health')
@Controller('health')
@OpenRoute()
@IgnoresQuery()
export class HealthController {
  constructor(private readonly readiness: Readiness) {}

  @Get('live')
  @ApiOperation({
    summary: 'Check liveness',
    description: 'Returns 200 while the process runs, even if the database is unreachable.',
  })
  @Returns(HealthResponse, 'The process runs.')
  getLive() {
    return { status: 'ok' as const, ...build };
  }

  @Get('ready')
  @ApiOperation({
    summary: 'Check readiness',
    description:
      'Returns 503 while the database is unreachable or the server is starting or stopping. `message` names every reason.',
  })
  @Returns(ReadyResponse, 'The server is ready.')
  async getReady() {
    const reasons = await this.readiness.notReadyReasons();
    if (reasons.length > 0) {
      throw new ServiceError('databaseUnavailable', { message: reasons.join('; ') });
    }
    const degraded = await this.readiness.degradedReasons();
    return { status: 'ok' as const, ...build, ...(degraded.length > 0 && { degraded }) };
  }
}
