import { Body, Controller, Get, Module, Param, Patch, Post, Query } from '@nestjs/common';
import { IsObjectIdPipe, MongooseModule } from '@nestjs/mongoose';
import { type Caller, CurrentCaller } from './auth.module.js';
import { CreateScheduleDto, ScheduleQuery, UpdateScheduleDto } from './schedule.dto.js';
import { PlayerStatistic, PlayerStatisticSchema, Schedule, ScheduleSchema } from './schedule.schema.js';
import { SchedulesService } from './schedules.service.js';
import { TeamsModule } from './teams.module.js';

const Id = () => Param('id', IsObjectIdPipe);

@Controller('schedules')
class SchedulesController {
  constructor(private readonly schedules: SchedulesService) {}

  @Get() list(@CurrentCaller() caller: Caller, @Query() query: ScheduleQuery) {
    return this.schedules.list(caller, query);
  }

  @Get(':id') async get(@CurrentCaller() caller: Caller, @Id() id: string) {
    return { data: await this.schedules.get(caller, id) };
  }

  @Get(':id/player-statistics') statistics(@CurrentCaller() caller: Caller, @Id() id: string) {
    return this.schedules.statistics(caller, id);
  }

  @Post() create(@CurrentCaller() caller: Caller, @Body() body: CreateScheduleDto) {
    return this.schedules.create(caller, body);
  }

  @Patch(':id') update(@CurrentCaller() caller: Caller, @Id() id: string, @Body() body: UpdateScheduleDto) {
    return this.schedules.update(caller, id, body);
  }
}

const models = MongooseModule.forFeature([
  { name: Schedule.name, schema: ScheduleSchema },
  { name: PlayerStatistic.name, schema: PlayerStatisticSchema },
]);

@Module({ imports: [TeamsModule, models], controllers: [SchedulesController], providers: [SchedulesService] })
export class SchedulesModule {}
