import { Module } from '@nestjs/common';
import { MongooseModule } from '@nestjs/mongoose';
import { RequestCounterModule } from '../rate-limit/rate-limit.module.js';
import { auditEventModel, auditEventSchema } from './audit-event.schema.js';
import { AuditEventsController } from './audit-events.controller.js';
import { AuditEventsRepository } from './audit-events.repository.js';
import { AuditEventsService } from './audit-events.service.js';
import { AuditTrail } from './audit-trail.js';
import { Owners } from './owners.js';

@Module({
  imports: [RequestCounterModule, MongooseModule.forFeature([{ name: auditEventModel, schema: auditEventSchema }])],
  controllers: [AuditEventsController],
  providers: [AuditEventsRepository, AuditEventsService, AuditTrail, Owners],
  exports: [AuditTrail, Owners],
})
export class AuditModule {}
