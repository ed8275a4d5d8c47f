import { Module } from '@nestjs/common';
import { MongooseModule } from '@nestjs/mongoose';
import { PlayersModule } from '../players/players.module.js';
import { SchedulesModule } from '../schedules/schedules.module.js';
import { SeasonsModule } from '../seasons/seasons.module.js';
import { TeamsModule } from '../teams/teams.module.js';
import { changeModel, changeSchema, checkpointModel, checkpointSchema } from './change.schema.js';
import { ChangesController } from './changes.controller.js';
import { ChangesProjector } from './changes.projector.js';
import { ChangesRepository } from './changes.repository.js';
import { ChangesService } from './changes.service.js';

@Module({
  imports: [
    MongooseModule.forFeature([
      { name: changeModel, schema: changeSchema },
      { name: checkpointModel, schema: checkpointSchema },
    ]),
    SeasonsModule,
    TeamsModule,
    PlayersModule,
    SchedulesModule,
  ],
  controllers: [ChangesController],
  providers: [ChangesProjector, ChangesRepository, ChangesService],
  exports: [ChangesProjector],
})
export class ChangesModule {}
