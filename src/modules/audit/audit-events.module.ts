import { Module } from '@nestjs/common';
import { OrganizationsModule } from '../organizations/organizations.module.js';
import { AuditEventsController } from './audit-events.controller.js';

/** Lists the events. Not part of `AuditModule`, on which organizations depend. */
@Module({ imports: [OrganizationsModule], controllers: [AuditEventsController] })
export class AuditEventsModule {}
