import { type DynamicModule, Global, Module } from '@nestjs/common';
import { Configuration } from './configuration.js';

/** Hands the one typed `Configuration` to whoever asks for it. */
@Global()
@Module({})
export class ConfigModule {
  static of(configuration: Configuration): DynamicModule {
    return {
      module: ConfigModule,
      providers: [{ provide: Configuration, useValue: configuration }],
      exports: [Configuration],
    };
  }
}
