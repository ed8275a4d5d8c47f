import { Module } from '@nestjs/common';
import { MongooseModule } from '@nestjs/mongoose';
import { ApiKeyRecord, apiKeySchema } from '../api-keys/api-key.schema.js';
import { CalendarLinkRecord, calendarLinkSchema } from '../calendars/calendar-link.schema.js';
import { ChangesModule } from '../changes/changes.module.js';
import { FailedRequestRecord, failedRequestSchema } from '../usage/failed-request.schema.js';
import { RecordChange, recordChangeSchema } from '../history/history.schema.js';
import { OrganizationsModule } from '../organizations/organizations.module.js';
import { PlayersModule } from '../players/players.module.js';
import { SchedulesModule } from '../schedules/schedules.module.js';
import { StatisticsModule } from '../statistics/statistics.module.js';
import { RequestCount, requestCountSchema } from '../usage/request-count.schema.js';
import { WebhookDeliveryRecord, webhookDeliverySchema } from '../webhooks/webhook-delivery.schema.js';
import { WebhookEndpointRecord, webhookEndpointSchema } from '../webhooks/webhook-endpoint.schema.js';
import { ErasureController } from './erasure.controller.js';
import { OrganizationEraser } from './organization-eraser.js';
import { ErasureRepository } from './erasure.repository.js';
import { PlayerPrivacyService } from './player-privacy.service.js';

/** The models of modules that the command line does not need. */
const models = MongooseModule.forFeature([
  { name: ApiKeyRecord.name, schema: apiKeySchema },
  { name: CalendarLinkRecord.name, schema: calendarLinkSchema },
  { name: FailedRequestRecord.name, schema: failedRequestSchema },
  { name: RecordChange.name, schema: recordChangeSchema },
  { name: RequestCount.name, schema: requestCountSchema },
  { name: WebhookDeliveryRecord.name, schema: webhookDeliverySchema },
  { name: WebhookEndpointRecord.name, schema: webhookEndpointSchema },
]);

@Module({
  imports: [models, ChangesModule, OrganizationsModule, PlayersModule, SchedulesModule, StatisticsModule],
  controllers: [ErasureController],
  providers: [OrganizationEraser, ErasureRepository, PlayerPrivacyService],
  exports: [ErasureRepository],
})
export class ErasureModule {}
