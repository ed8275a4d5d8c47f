import { Module } from '@nestjs/common';
import { HealthController } from './health.controller.js';
import { MetricsServer } from './metrics-server.js';
import { Readiness } from './readiness.js';

@Module({
  controllers: [HealthController],
  providers: [Readiness, MetricsServer],
  exports: [Readiness, MetricsServer],
})
export class HealthModule {}
