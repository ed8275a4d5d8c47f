import { Module } from '@nestjs/common';
import { ApiKeysModule } from '../api-keys/api-keys.module.js';
import { AuthModule } from '../auth/auth.module.js';
import { RequestCounterModule } from '../rate-limit/rate-limit.module.js';
import { Admission } from './admission.js';
import { AuthenticationFailures } from './authentication-failures.js';

/** What the access guard asks: who a key is, who a token is, and how often an address failed. */
@Module({
  imports: [ApiKeysModule, AuthModule, RequestCounterModule],
  providers: [Admission, AuthenticationFailures],
  exports: [ApiKeysModule, AuthModule, RequestCounterModule, AuthenticationFailures],
})
export class AccessModule {}
