import { Module } from '@nestjs/common';
import { MongooseModule } from '@nestjs/mongoose';
import { OrganizationsModule } from '../organizations/organizations.module.js';
import { FailedRequestRecord, failedRequestSchema } from './failed-request.schema.js';
import { FailedRequestsRepository } from './failed-requests.repository.js';
import { FailedRequests } from './failed-requests.service.js';
import { RequestCount, requestCountSchema } from './request-count.schema.js';
import { UsageController } from './usage.controller.js';
import { UsageRepository } from './usage.repository.js';
import { UsageService } from './usage.service.js';

@Module({
  imports: [
    MongooseModule.forFeature([
      { name: RequestCount.name, schema: requestCountSchema },
      { name: FailedRequestRecord.name, schema: failedRequestSchema },
    ]),
    OrganizationsModule,
  ],
  controllers: [UsageController],
  providers: [FailedRequests, FailedRequestsRepository, UsageRepository, UsageService],
})
export class UsageModule {}
