import { Global, Module } from '@nestjs/common';
import { MongooseModule } from '@nestjs/mongoose';
import { Configuration } from '../../config/configuration.js';
import { AuditEventRecord, auditEventSchemaFor } from './audit-event.schema.js';
import { AuditEventsRepository } from './audit-events.repository.js';
import { AuditTrail } from './audit-trail.js';

/** Global, since most features record their changes. */
@Global()
@Module({
  imports: [
    MongooseModule.forFeatureAsync([
      { name: AuditEventRecord.name, inject: [Configuration], useFactory: auditEventSchemaFor },
    ]),
  ],
  providers: [AuditEventsRepository, AuditTrail],
  exports: [AuditTrail],
})
export class AuditModule {}
