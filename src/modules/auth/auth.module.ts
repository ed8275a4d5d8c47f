import { Logger, Module } from '@nestjs/common';
import { JwtModule, type JwtModuleOptions } from '@nestjs/jwt';
import { Configuration } from '../../config/configuration.js';
import { OrganizationsModule } from '../organizations/organizations.module.js';
import { tokenLifetimeSeconds } from '../users/user.schema.js';
import { UsersModule } from '../users/users.module.js';
import { AuthController, SecondFactorResetController } from './auth.controller.js';
import { AuthService } from './auth.service.js';
import { LoginLimiter } from './login-limiter.js';
import { TokenCookie } from './token-cookie.js';
import { TokensService } from './tokens.service.js';

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
    UsersModule,
    OrganizationsModule,
    JwtModule.registerAsync({ inject: [Configuration], useFactory: jwtOptions }),
  ],
  controllers: [AuthController, SecondFactorResetController],
  providers: [AuthService, TokensService, LoginLimiter, TokenCookie],
  exports: [AuthService, TokensService],
})
export class AuthModule {}
