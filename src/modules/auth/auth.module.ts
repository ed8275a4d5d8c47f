import { Logger, Module } from '@nestjs/common';
import { JwtModule, type JwtModuleOptions } from '@nestjs/jwt';
import { TokenAuthentication } from '../../access/authentication.js';
import { AuditModule } from '../audit/audit.module.js';
import { Configuration } from '../../common/config/configuration.js';
import { OrganizationsModule } from '../organizations/organizations.module.js';
import { UsersModule } from '../users/users.module.js';
import { AuthController } from './auth.controller.js';
import { AuthService } from './auth.service.js';
import { LoginLimiter } from './login-limiter.js';
import { tokenLifetimeSeconds, TokensService } from './tokens.service.js';

function jwtOptions({ jwtSecret }: Configuration): JwtModuleOptions {
  if (!jwtSecret.isSet) new Logger('Auth').log('JWT_SECRET is not set: logins become invalid when this process stops');
  return {
    secret: jwtSecret.value,
    signOptions: { algorithm: 'HS256', expiresIn: tokenLifetimeSeconds },
    verifyOptions: { algorithms: ['HS256'] },
  };
}

@Module({
  imports: [
    AuditModule,
    UsersModule,
    OrganizationsModule,
    JwtModule.registerAsync({
      inject: [Configuration],
      useFactory: jwtOptions,
    }),
  ],
  controllers: [AuthController],
  providers: [AuthService, TokensService, { provide: TokenAuthentication, useExisting: TokensService }, LoginLimiter],
  exports: [AuthService, TokensService, TokenAuthentication],
})
export class AuthModule {}
