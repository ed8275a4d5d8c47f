import { Module } from '@nestjs/common';
import { OrganizationsModule } from '../organizations/organizations.module.js';
import { SchedulesModule } from '../schedules/schedules.module.js';
import { SeasonsModule } from '../seasons/seasons.module.js';
import { TeamsModule } from '../teams/teams.module.js';
import { OrganizationSeasonsController, StandingsController } from './standings.controller.js';
import { StandingsService } from './standings.service.js';

@Module({
  imports: [OrganizationsModule, SchedulesModule, SeasonsModule, TeamsModule],
  controllers: [StandingsController, OrganizationSeasonsController],
  providers: [StandingsService],
})
export class StandingsModule {}
