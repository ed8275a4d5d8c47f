import { Module } from '@nestjs/common';
import { MongooseModule } from '@nestjs/mongoose';
import { Change, changeSchema } from './change.schema.js';
import { ChangesController } from './changes.controller.js';
import { ChangesProjector } from './changes.projector.js';
import { ChangesRepository } from './changes.repository.js';
import { ChangesService } from './changes.service.js';

@Module({
  imports: [MongooseModule.forFeature([{ name: Change.name, schema: changeSchema }])],
  controllers: [ChangesController],
  providers: [ChangesProjector, ChangesRepository, ChangesService],
  exports: [ChangesProjector, ChangesRepository],
})
export class ChangesModule {}
