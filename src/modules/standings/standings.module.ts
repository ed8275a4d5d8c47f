import { Module } from '@nestjs/common';
import { MongooseModule } from '@nestjs/mongoose';
import { scheduleModel, scheduleSchema } from '../schedules/schedule.schema.js';
import { SeasonsModule } from '../seasons/seasons.module.js';
import { teamModel, teamSchema } from '../teams/team.schema.js';
import { StandingsController } from './standings.controller.js';
import { SeasonGamesRepository, SeasonTeamsRepository } from './standings.repository.js';
import { StandingsService } from './standings.service.js';

@Module({
  imports: [
    MongooseModule.forFeature([
      { name: scheduleModel, schema: scheduleSchema },
      { name: teamModel, schema: teamSchema },
    ]),
    SeasonsModule,
  ],
  controllers: [StandingsController],
  providers: [SeasonTeamsRepository, SeasonGamesRepository, StandingsService],
  exports: [SeasonTeamsRepository, SeasonGamesRepository],
})
export class StandingsModule {}
