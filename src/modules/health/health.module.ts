import { Module } from '@nestjs/common';
import { ChangesModule } from '../changes/changes.module.js';
import { HealthController } from './health.controller.js';
import { MetricsServer } from './metrics-server.js';
import { Readiness } from './readiness.js';

@Module({
  imports: [ChangesModule],
  controllers: [HealthController],
  providers: [Readiness, MetricsServer],
  exports: [Readiness, MetricsServer],
})
export class HealthModule {}
