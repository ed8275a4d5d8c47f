import { Module } from '@nestjs/common';
import { ErasureModule } from '../erasure/erasure.module.js';
import { OrganizationsModule } from '../organizations/organizations.module.js';
import { PlayersModule } from '../players/players.module.js';
import { SchedulesModule } from '../schedules/schedules.module.js';
import { SeasonsModule } from '../seasons/seasons.module.js';
import { StatisticsModule } from '../statistics/statistics.module.js';
import { TeamsModule } from '../teams/teams.module.js';
import { DemoLeague } from './demo-league.js';
import { SandboxController } from './sandbox.controller.js';
import { SandboxService } from './sandbox.service.js';

@Module({
  imports: [
    ErasureModule,
    OrganizationsModule,
    SeasonsModule,
    TeamsModule,
    PlayersModule,
    SchedulesModule,
    StatisticsModule,
  ],
  controllers: [SandboxController],
  providers: [SandboxService, DemoLeague],
})
export class SandboxModule {}
