import { Global, Module } from '@nestjs/common';
import { MongooseModule } from '@nestjs/mongoose';
import { Configuration } from '../../config/configuration.js';
import { OrganizationsModule } from '../organizations/organizations.module.js';
import { AuditEventRecord, auditEventSchemaFor } from './audit-event.schema.js';
import { AuditEventsController } from './audit-events.controller.js';
import { AuditEventsRepository } from './audit-events.repository.js';
import { AuditTrail } from './audit-trail.js';

/** Global, since most features record their changes. */
@Global()
@Module({
  imports: [
    MongooseModule.forFeatureAsync([
      { name: AuditEventRecord.name, inject: [Configuration], useFactory: auditEventSchemaFor },
    ]),
    OrganizationsModule,
  ],
  controllers: [AuditEventsController],
  providers: [AuditEventsRepository, AuditTrail],
  exports: [AuditTrail],
})
export class AuditModule {}
