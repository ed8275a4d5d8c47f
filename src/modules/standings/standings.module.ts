import { Module } from '@nestjs/common';
import { MongooseModule } from '@nestjs/mongoose';
import { OrganizationsModule } from '../organizations/organizations.module.js';
import { scheduleModel, scheduleSchema } from '../schedules/schedule.schema.js';
import { SchedulesModule } from '../schedules/schedules.module.js';
import { SeasonsModule } from '../seasons/seasons.module.js';
import { teamModel, teamSchema } from '../teams/team.schema.js';
import { OrganizationSeasonsController } from './organization-seasons.controller.js';
import { StandingsController } from './standings.controller.js';
import { SeasonGamesRepository, SeasonTeamsRepository } from './standings.repository.js';
import { StandingsService } from './standings.service.js';

@Module({
  imports: [
    MongooseModule.forFeature([
      { name: scheduleModel, schema: scheduleSchema },
      { name: teamModel, schema: teamSchema },
    ]),
    OrganizationsModule,
    SchedulesModule,
    SeasonsModule,
  ],
  controllers: [StandingsController, OrganizationSeasonsController],
  providers: [SeasonTeamsRepository, SeasonGamesRepository, StandingsService],
  exports: [SeasonTeamsRepository, SeasonGamesRepository],
})
export class StandingsModule {}
