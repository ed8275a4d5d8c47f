import { Module } from '@nestjs/common';
import { ApiKeysModule } from '../api-keys/api-keys.module.js';
import { RequestCounterModule } from '../rate-limit/rate-limit.module.js';
import { HealthController } from './health.controller.js';
import { MetricsServer } from './metrics-server.js';
import { Readiness } from './readiness.js';

@Module({
  imports: [ApiKeysModule, RequestCounterModule],
  controllers: [HealthController],
  providers: [Readiness, MetricsServer],
  exports: [Readiness, MetricsServer],
})
export class HealthModule {}
