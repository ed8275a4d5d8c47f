import { Module } from '@nestjs/common';
import { OrganizationsModule } from '../organizations/organizations.module.js';
import { PlayersModule } from '../players/players.module.js';
import { SchedulesModule } from '../schedules/schedules.module.js';
import { StatisticsModule } from '../statistics/statistics.module.js';
import { TeamsModule } from '../teams/teams.module.js';
import { OrganizationImportsController } from './organization-imports.controller.js';
import { OrganizationRecordsController } from './organization-records.controller.js';
import { OrganizationRecordsService } from './organization-records.service.js';

@Module({
  imports: [OrganizationsModule, TeamsModule, PlayersModule, SchedulesModule, StatisticsModule],
  controllers: [OrganizationRecordsController, OrganizationImportsController],
  providers: [OrganizationRecordsService],
})
export class OrganizationRecordsModule {}
