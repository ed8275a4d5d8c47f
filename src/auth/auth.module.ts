import { Logger, Module } from '@nestjs/common';
import { JwtModule, type JwtModuleOptions } from '@nestjs/jwt';
import { AuditModule } from '../audit/audit.module.js';
import { Configuration } from '../config/configuration.js';
import { OrganizationsModule } from '../organizations/organizations.module.js';
import { RequestCounterModule } from '../rate-limit/rate-limit.module.js';
import { UsersModule } from '../users/users.module.js';
import { ActiveUsers } from './active-users.js';
import { AuthController } from './auth.controller.js';
import { AuthService } from './auth.service.js';
import { LoginAttempts } from './login-attempts.js';
import { LoginLine } from './login-line.js';
import { PacedTurns } from './paced-turns.js';
import { tokenSeconds, TokensService } from './tokens.service.js';

function tokenOptions({ jwtSecret }: Configuration): JwtModuleOptions {
  if (!jwtSecret.given) new Logger('Auth').log('JWT_SECRET is not set: logins end with this process');
  return {
    secret: jwtSecret.value,
    signOptions: { algorithm: 'HS256', expiresIn: tokenSeconds },
    verifyOptions: { algorithms: ['HS256'] },
  };
}

/** How attempts for an attacked email take turns; who waits longest is still answered before a request's deadline. */
const loginPace = { milliseconds: 1_000, waiting: 3 };

@Module({
  imports: [
    AuditModule,
    UsersModule,
    OrganizationsModule,
    RequestCounterModule,
    JwtModule.registerAsync({
      inject: [Configuration],
      useFactory: tokenOptions,
    }),
  ],
  controllers: [AuthController],
  providers: [
    ActiveUsers,
    AuthService,
    TokensService,
    { provide: PacedTurns, useFactory: () => new PacedTurns(loginPace) },
    LoginLine,
    LoginAttempts,
  ],
  exports: [TokensService],
})
export class AuthModule {}
