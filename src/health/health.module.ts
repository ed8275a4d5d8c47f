import { Module } from '@nestjs/common';
import { ApiKeysModule } from '../api-keys/api-keys.module.js';
import { HealthController } from './health.controller.js';
import { MetricsServer } from './metrics-server.js';
import { Readiness } from './readiness.js';

@Module({
  imports: [ApiKeysModule],
  controllers: [HealthController],
  providers: [Readiness, MetricsServer],
  exports: [Readiness, MetricsServer],
})
export class HealthModule {}
