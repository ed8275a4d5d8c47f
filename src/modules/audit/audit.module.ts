import { Global, Module } from '@nestjs/common';
import { MongooseModule } from '@nestjs/mongoose';
import { auditEventModel, auditEventSchema } from './audit-event.schema.js';
import { AuditEventsRepository } from './audit-events.repository.js';
import { AuditTrail } from './audit-trail.js';

/** Global, since most features record their changes. */
@Global()
@Module({
  imports: [MongooseModule.forFeature([{ name: auditEventModel, schema: auditEventSchema }])],
  providers: [AuditEventsRepository, AuditTrail],
  exports: [AuditTrail],
})
export class AuditModule {}
