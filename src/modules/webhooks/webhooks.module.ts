import { Module } from '@nestjs/common';
import { MongooseModule } from '@nestjs/mongoose';
import { OrganizationsModule } from '../organizations/organizations.module.js';
import { ChangesModule } from '../changes/changes.module.js';
import { AdminWebhooksController } from './admin-webhooks.controller.js';
import { WebhookDeliveriesRepository } from './webhook-deliveries.repository.js';
import { WebhookDeliveriesService } from './webhook-deliveries.service.js';
import { WebhookDeliveryRecord, webhookDeliverySchema } from './webhook-delivery.schema.js';
import { WebhookEndpointRecord, webhookEndpointSchema } from './webhook-endpoint.schema.js';
import { WebhookEndpointsRepository } from './webhook-endpoints.repository.js';
import { WebhookFeed } from './webhook-feed.js';
import { WebhookHosts } from './webhook-hosts.js';
import { WebhookQueueRepository } from './webhook-queue.repository.js';
import { WebhookSender } from './webhook-sender.js';
import { WebhookWorker } from './webhook-worker.js';
import { WebhooksController } from './webhooks.controller.js';
import { WebhooksService } from './webhooks.service.js';

@Module({
  imports: [
    MongooseModule.forFeature([
      { name: WebhookEndpointRecord.name, schema: webhookEndpointSchema },
      { name: WebhookDeliveryRecord.name, schema: webhookDeliverySchema },
    ]),
    ChangesModule,
    OrganizationsModule,
  ],
  controllers: [WebhooksController, AdminWebhooksController],
  providers: [
    WebhookEndpointsRepository,
    WebhookDeliveriesRepository,
    WebhookQueueRepository,
    WebhooksService,
    WebhookDeliveriesService,
    WebhookFeed,
    WebhookHosts,
    WebhookSender,
    WebhookWorker,
  ],
})
export class WebhooksModule {}
