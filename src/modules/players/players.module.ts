import { Module } from '@nestjs/common';
import { MongooseModule } from '@nestjs/mongoose';
import { Configuration } from '../../config/configuration.js';
import { TeamsModule } from '../teams/teams.module.js';
import { PlayerRecord, playerSchemaFor } from './player.schema.js';
import { AllPlayersController } from './all-players.controller.js';
import { PlayersController } from './players.controller.js';
import { PlayersRepository } from './players.repository.js';
import { PlayersService } from './players.service.js';

@Module({
  imports: [
    MongooseModule.forFeatureAsync([{ name: PlayerRecord.name, inject: [Configuration], useFactory: playerSchemaFor }]),
    TeamsModule,
  ],
  controllers: [AllPlayersController, PlayersController],
  providers: [PlayersRepository, PlayersService],
  exports: [PlayersRepository, PlayersService],
})
export class PlayersModule {}
