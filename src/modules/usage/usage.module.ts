import { Module } from '@nestjs/common';
import { MongooseModule } from '@nestjs/mongoose';
import { OrganizationsModule } from '../organizations/organizations.module.js';
import { requestCountModel, requestCountSchema } from './request-count.schema.js';
import { UsageController } from './usage.controller.js';
import { UsageRepository } from './usage.repository.js';
import { UsageService } from './usage.service.js';

@Module({
  imports: [MongooseModule.forFeature([{ name: requestCountModel, schema: requestCountSchema }]), OrganizationsModule],
  controllers: [UsageController],
  providers: [UsageRepository, UsageService],
})
export class UsageModule {}
