import { type DynamicModule, Module } from '@nestjs/common';
import { APP_FILTER, APP_GUARD, APP_PIPE } from '@nestjs/core';
import { AccessGuard, ScopeGuard } from './guards/access.guard.js';
import { ApiKeysModule } from './modules/api-keys/api-keys.module.js';
import { AuthModule } from './modules/auth/auth.module.js';
import { AuditModule } from './modules/audit/audit.module.js';
import { CalendarsModule } from './modules/calendars/calendars.module.js';
import { ChangesModule } from './modules/changes/changes.module.js';
import { ErasureModule } from './modules/erasure/erasure.module.js';
import { GlobalModule } from './global.module.js';
import { Pages } from './http/pages.js';
import { OpenConnections } from './http/open-connections.js';
import { OtherMethods } from './http/other-methods.js';
import { BodyGuard } from './guards/body.guard.js';
import { InputValidationPipe } from './validation/validation.pipe.js';
import type { Configuration } from './config/configuration.js';
import { DatabaseModule } from './database/database.module.js';
import { HistoryModule } from './modules/history/history.module.js';
import { HealthModule } from './modules/health/health.module.js';
import { OrganizationsModule } from './modules/organizations/organizations.module.js';
import { ErrorFilter } from './errors/error.filter.js';
import { OverloadMiddleware } from './overload/overload.middleware.js';
import { StrangerConnections } from './overload/stranger-connections.js';
import { OrganizationRecordsModule } from './modules/organization-records/organization-records.module.js';
import { PlayersModule } from './modules/players/players.module.js';
import { RateLimitModule } from './rate-limit/rate-limit.module.js';
import { RateLimitGuard } from './guards/rate-limit.guard.js';
import { SchedulesModule } from './modules/schedules/schedules.module.js';
import { SeasonsModule } from './modules/seasons/seasons.module.js';
import { StandingsModule } from './modules/standings/standings.module.js';
import { StatisticsModule } from './modules/statistics/statistics.module.js';
import { TeamsModule } from './modules/teams/teams.module.js';
import { SandboxModule } from './modules/sandbox/sandbox.module.js';
import { UsageModule } from './modules/usage/usage.module.js';
import { UsersModule } from './modules/users/users.module.js';
import { WebhooksModule } from './modules/webhooks/webhooks.module.js';

/** The modules, and the global guards, pipe and filter that a request passes, in order. */
@Module({
  imports: [
    RateLimitModule,
    DatabaseModule,
    // First, because Express compares a path with one route after another, and most requests are for these.
    SeasonsModule,
    TeamsModule,
    PlayersModule,
    SchedulesModule,
    AuditModule,
    UsersModule,
    OrganizationsModule,
    ApiKeysModule,
    AuthModule,
    StandingsModule,
    StatisticsModule,
    CalendarsModule,
    ChangesModule,
    WebhooksModule,
    ErasureModule,
    SandboxModule,
    OrganizationRecordsModule,
    HistoryModule,
    UsageModule,
    HealthModule,
  ],
  providers: [
    Pages,
    OpenConnections,
    OtherMethods,
    OverloadMiddleware,
    StrangerConnections,
    { provide: APP_GUARD, useClass: AccessGuard },
    { provide: APP_GUARD, useClass: RateLimitGuard },
    { provide: APP_GUARD, useClass: ScopeGuard },
    { provide: APP_GUARD, useClass: BodyGuard },
    { provide: APP_PIPE, useClass: InputValidationPipe },
    { provide: APP_FILTER, useClass: ErrorFilter },
  ],
})
export class AppModule {
  static of(configuration: Configuration): DynamicModule {
    return { module: AppModule, imports: [GlobalModule.of(configuration)] };
  }
}
