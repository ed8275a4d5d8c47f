import { type DynamicModule, Global, Module } from '@nestjs/common';
import { Clock } from './config/clock.js';
import { Configuration } from './config/configuration.js';
import { Metrics } from './observability/metrics.js';
import { SecretHasher } from './access/secret-hasher.js';

/** Provides to every module what most of them need. */
@Global()
@Module({ providers: [Clock, Metrics, SecretHasher], exports: [Clock, Metrics, SecretHasher] })
export class GlobalModule {
  static of(configuration: Configuration): DynamicModule {
    const providers = [{ provide: Configuration, useValue: configuration }];
    return { module: GlobalModule, providers, exports: [Configuration] };
  }
}
