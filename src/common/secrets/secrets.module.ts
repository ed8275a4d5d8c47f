import { Global, Module } from '@nestjs/common';
import { SecretHasher } from './secret-hasher.js';

/** Hands out the one way to argon2: its bound holds for the whole process. */
@Global()
@Module({ providers: [SecretHasher], exports: [SecretHasher] })
export class SecretsModule {}
