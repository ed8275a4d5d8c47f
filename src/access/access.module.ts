import { Module } from '@nestjs/common';
import { ApiKeysModule } from '../api-keys/api-keys.module.js';
import { AuthModule } from '../auth/auth.module.js';
import { AuthenticationFailures } from './authentication-failures.js';

/** What the access guard asks: who a key is, who a token is, and how often an address failed. */
@Module({
  imports: [ApiKeysModule, AuthModule],
  providers: [AuthenticationFailures],
  exports: [ApiKeysModule, AuthModule, AuthenticationFailures],
})
export class AccessModule {}
