import { Module } from '@nestjs/common';
import { JwtModule } from '@nestjs/jwt';
import { Configuration } from '../config/configuration.js';
import { RequestCounterModule } from '../rate-limit/rate-limit.module.js';
import { UsersModule } from '../users/users.module.js';
import { AuthController } from './auth.controller.js';
import { AuthService } from './auth.service.js';
import { LoginAttempts } from './login-attempts.js';
import { tokenSeconds, TokensService } from './tokens.service.js';

@Module({
  imports: [
    UsersModule,
    RequestCounterModule,
    JwtModule.registerAsync({
      inject: [Configuration],
      useFactory: ({ jwtSecret }: Configuration) => ({
        secret: jwtSecret.value,
        signOptions: { algorithm: 'HS256', expiresIn: tokenSeconds },
        verifyOptions: { algorithms: ['HS256'] },
      }),
    }),
  ],
  controllers: [AuthController],
  providers: [AuthService, TokensService, LoginAttempts],
  exports: [TokensService],
})
export class AuthModule {}
