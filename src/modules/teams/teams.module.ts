import { Module } from '@nestjs/common';
import { MongooseModule } from '@nestjs/mongoose';
import { SeasonsModule } from '../seasons/seasons.module.js';
import { TeamRecord, teamSchema } from './team.schema.js';
import { TeamsController } from './teams.controller.js';
import { TeamsRepository } from './teams.repository.js';
import { TeamsService } from './teams.service.js';

@Module({
  imports: [MongooseModule.forFeature([{ name: TeamRecord.name, schema: teamSchema }]), SeasonsModule],
  controllers: [TeamsController],
  providers: [TeamsRepository, TeamsService],
  exports: [TeamsRepository, TeamsService],
})
export class TeamsModule {}
