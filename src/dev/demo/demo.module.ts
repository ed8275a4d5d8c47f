import { Module } from '@nestjs/common';
import { ApiKeysModule } from '../../api-keys/api-keys.module.js';
import { OrganizationsModule } from '../../organizations/organizations.module.js';
import { PlayersModule } from '../../players/players.module.js';
import { SchedulesModule } from '../../schedules/schedules.module.js';
import { SeasonsModule } from '../../seasons/seasons.module.js';
import { StatisticsModule } from '../../statistics/statistics.module.js';
import { TeamsModule } from '../../teams/teams.module.js';
import { UsersModule } from '../../users/users.module.js';
import { DemoLeague } from './demo-league.js';
import { DemoService } from './demo.service.js';

/** Demo data for a first run on the embedded database. */
@Module({
  imports: [
    UsersModule,
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
