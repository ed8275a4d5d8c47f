import { Module } from '@nestjs/common';
import { ApiKeysModule } from '../../modules/api-keys/api-keys.module.js';
import { AuthModule } from '../../modules/auth/auth.module.js';
import { OrganizationsModule } from '../../modules/organizations/organizations.module.js';
import { PlayersModule } from '../../modules/players/players.module.js';
import { SchedulesModule } from '../../modules/schedules/schedules.module.js';
import { SeasonsModule } from '../../modules/seasons/seasons.module.js';
import { StatisticsModule } from '../../modules/statistics/statistics.module.js';
import { TeamsModule } from '../../modules/teams/teams.module.js';
import { UsersModule } from '../../modules/users/users.module.js';
import { DemoLeague } from './demo-league.js';
import { DemoService } from './demo.service.js';

/** Provides demo data for a first run on the embedded database. */
@Module({
  imports: [
    UsersModule,
    AuthModule,
    OrganizationsModule,
    ApiKeysModule,
    SeasonsModule,
    TeamsModule,
    PlayersModule,
    SchedulesModule,
    StatisticsModule,
  ],
  providers: [DemoLeague, DemoService],
  exports: [DemoService],
})
export class DemoModule {}
