import { Module } from '@nestjs/common';
import { MongooseModule } from '@nestjs/mongoose';
import { OrganizationsModule } from '../organizations/organizations.module.js';
import { PlayersModule } from '../players/players.module.js';
import { SchedulesModule } from '../schedules/schedules.module.js';
import { TeamsModule } from '../teams/teams.module.js';
import { HistoryController, OrganizationHistoryController } from './history.controllers.js';
import { HistoryRepository } from './history.repository.js';
import { RecordChange, recordChangeSchema } from './history.schema.js';
import { HistoryService } from './history.service.js';

@Module({
  imports: [
    MongooseModule.forFeature([{ name: RecordChange.name, schema: recordChangeSchema }]),
    OrganizationsModule,
    TeamsModule,
    PlayersModule,
    SchedulesModule,
  ],
  controllers: [HistoryController, OrganizationHistoryController],
  providers: [HistoryRepository, HistoryService],
  exports: [HistoryRepository],
})
export class HistoryModule {}
