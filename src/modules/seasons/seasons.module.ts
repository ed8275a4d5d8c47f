import { Module } from '@nestjs/common';
import { MongooseModule } from '@nestjs/mongoose';
import { OrganizationsModule } from '../organizations/organizations.module.js';
import { SeasonRecord, seasonSchema } from './season.schema.js';
import { AdminSeasonsController, SeasonsController } from './seasons.controller.js';
import { SeasonsRepository } from './seasons.repository.js';
import { SeasonsService } from './seasons.service.js';

@Module({
  imports: [MongooseModule.forFeature([{ name: SeasonRecord.name, schema: seasonSchema }]), OrganizationsModule],
  controllers: [SeasonsController, AdminSeasonsController],
  providers: [SeasonsRepository, SeasonsService],
  exports: [SeasonsService],
})
export class SeasonsModule {}
