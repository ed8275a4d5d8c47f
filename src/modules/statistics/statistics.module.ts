import { Module } from '@nestjs/common';
import { MongooseModule } from '@nestjs/mongoose';
import { PlayersModule } from '../players/players.module.js';
import { SchedulesModule } from '../schedules/schedules.module.js';
import { SeasonsModule } from '../seasons/seasons.module.js';
import { TeamsModule } from '../teams/teams.module.js';
import {
  AdminStatisticsController,
  PlayerStatisticsController,
  SeasonTotalsController,
} from './player-statistics.controller.js';
import { PlayerStatisticsRepository } from './player-statistics.repository.js';
import { PlayerStatisticsRecord, playerStatisticsSchema } from './player-statistics.schema.js';
import { PlayerStatisticsService } from './player-statistics.service.js';
import { SeasonSums } from './season-sums.js';
import { SeasonTotalsService } from './season-totals.service.js';

@Module({
  imports: [
    MongooseModule.forFeature([{ name: PlayerStatisticsRecord.name, schema: playerStatisticsSchema }]),
    SchedulesModule,
    SeasonsModule,
    PlayersModule,
    TeamsModule,
  ],
  controllers: [SeasonTotalsController, PlayerStatisticsController, AdminStatisticsController],
  providers: [PlayerStatisticsRepository, SeasonSums, SeasonTotalsService, PlayerStatisticsService],
  exports: [PlayerStatisticsRepository, PlayerStatisticsService],
})
export class StatisticsModule {}
