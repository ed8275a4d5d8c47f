import { Module } from '@nestjs/common';
import { MongooseModule } from '@nestjs/mongoose';
import { TeamsModule } from '../teams/teams.module.js';
import { GameUpdater } from './game-updater.js';
import { ScheduleRecord, scheduleSchema } from './schedule.schema.js';
import { SchedulesController } from './schedules.controller.js';
import { SchedulesRepository } from './schedules.repository.js';
import { SchedulesService } from './schedules.service.js';

@Module({
  imports: [MongooseModule.forFeature([{ name: ScheduleRecord.name, schema: scheduleSchema }]), TeamsModule],
  controllers: [SchedulesController],
  providers: [GameUpdater, SchedulesRepository, SchedulesService],
  exports: [SchedulesRepository, SchedulesService],
})
export class SchedulesModule {}
