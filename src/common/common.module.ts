import { type DynamicModule, Global, Module } from '@nestjs/common';
import { Clock } from './clock.js';
import { Configuration } from './config/configuration.js';
import { Metrics } from './metrics/metrics.js';
import { SecretHasher } from './secrets/secret-hasher.js';

/** Provides to every module what most of them need. */
@Global()
@Module({ providers: [Clock, Metrics, SecretHasher], exports: [Clock, Metrics, SecretHasher] })
export class CommonModule {
  static of(configuration: Configuration): DynamicModule {
    const providers = [{ provide: Configuration, useValue: configuration }];
    return { module: CommonModule, providers, exports: [Configuration] };
  }
}
