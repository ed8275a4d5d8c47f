import { Global, Module } from '@nestjs/common';
import { Metrics } from './metrics.js';

/** Hands out the one set of figures of this process. */
@Global()
@Module({ providers: [Metrics], exports: [Metrics] })
export class MetricsModule {}
