import { Module } from '@nestjs/common';
import { MongooseModule } from '@nestjs/mongoose';
import { apiKeyModel, apiKeySchema } from '../api-keys/api-key.schema.js';
import { calendarLinkModel, calendarLinkSchema } from '../calendars/calendar-link.schema.js';
import { ChangesModule } from '../changes/changes.module.js';
import { failedRequestModel, failedRequestSchema } from '../usage/failed-request.schema.js';
import { recordChangeModel, recordChangeSchema } from '../history/history.schema.js';
import { OrganizationsModule } from '../organizations/organizations.module.js';
import { PlayersModule } from '../players/players.module.js';
import { StatisticsModule } from '../statistics/statistics.module.js';
import { requestCountModel, requestCountSchema } from '../usage/request-count.schema.js';
import { webhookDeliveryModel, webhookDeliverySchema } from '../webhooks/webhook-delivery.schema.js';
import { webhookEndpointModel, webhookEndpointSchema } from '../webhooks/webhook-endpoint.schema.js';
import { ErasureController } from './erasure.controller.js';
import { OrganizationEraser } from './organization-eraser.js';
import { ErasureRepository } from './erasure.repository.js';
import { PlayerPrivacyService } from './player-privacy.service.js';

/** The models of modules that the command line does not need. */
const models = MongooseModule.forFeature([
  { name: apiKeyModel, schema: apiKeySchema },
  { name: calendarLinkModel, schema: calendarLinkSchema },
  { name: failedRequestModel, schema: failedRequestSchema },
  { name: recordChangeModel, schema: recordChangeSchema },
  { name: requestCountModel, schema: requestCountSchema },
  { name: webhookDeliveryModel, schema: webhookDeliverySchema },
  { name: webhookEndpointModel, schema: webhookEndpointSchema },
]);

@Module({
  imports: [models, ChangesModule, OrganizationsModule, PlayersModule, StatisticsModule],
  controllers: [ErasureController],
  providers: [OrganizationEraser, ErasureRepository, PlayerPrivacyService],
  exports: [ErasureRepository],
})
export class ErasureModule {}
