import { Module } from '@nestjs/common';
import { MongooseModule } from '@nestjs/mongoose';
import { OrganizationsModule } from '../organizations/organizations.module.js';
import { AdminSeasonsController } from './admin-seasons.controller.js';
import { seasonModel, seasonSchema } from './season.schema.js';
import { SeasonsController } from './seasons.controller.js';
import { SeasonsRepository } from './seasons.repository.js';
import { SeasonsService } from './seasons.service.js';

@Module({
  imports: [MongooseModule.forFeature([{ name: seasonModel, schema: seasonSchema }]), OrganizationsModule],
  controllers: [SeasonsController, AdminSeasonsController],
  providers: [SeasonsRepository, SeasonsService],
  exports: [SeasonsService],
})
export class SeasonsModule {}
