import { unconditional } from '../../src/common/context/request-context.js';
import { newRecordId, toRecordId } from '../../src/database/record.js';
import { Transactions } from '../../src/database/transaction.js';
import { ChangesRepository } from '../../src/modules/changes/changes.repository.js';
import { WebhookDeliveriesRepository } from '../../src/modules/webhooks/webhook-deliveries.repository.js';
import { WebhookEndpointsRepository } from '../../src/modules/webhooks/webhook-endpoints.repository.js';
import {
  type LeasedEndpoint,
  type NextDelivery,
  WebhookQueueRepository,
} from '../../src/modules/webhooks/webhook-queue.repository.js';
import type { ListAllWebhookEndpointsQuery } from '../../src/modules/webhooks/webhook.dto.js';
import { toDelivery } from '../../src/modules/webhooks/webhook.rules.js';
import type { TestApplication } from './application.js';
import type { ManyRecords } from './many-records.js';
import { byId, page, type QueryCase } from './query-case.js';

const endpointFilters: Partial<ListAllWebhookEndpointsQuery>[] = [
  {},
  { status: 'active' },
  { status: 'failing' },
  { status: 'disabled' },
  { disabledReason: ['gone', 'failing'] },
];
const aRecordById = { indexes: byId, documents: 1 };

/** Queries of webhook endpoints, of their delivery logs, and of the queue of all organizations. */
export function webhookQueryCases(application: TestApplication, many: ManyRecords): QueryCase[] {
  return [
    ...endpointQueryCases(application, many),
    ...deliveryQueryCases(application, many),
    ...queueQueryCases(application, many),
  ];
}

function endpointQueryCases(application: TestApplication, { scope, now, endpoint }: ManyRecords): QueryCase[] {
  const endpoints = application.get(WebhookEndpointsRepository);
  const transactions = application.get(Transactions);
  const id = String(endpoint);
  return [
    {
      name: 'the webhook endpoints of an organization are listed',
      call: () => endpoints.findAll(scope),
      indexes: ['one_endpoint_per_slot'],
      documents: 10,
    },
    { name: 'a webhook endpoint is read', call: () => endpoints.findById(scope, id), ...aRecordById },
    {
      name: 'the secret of a webhook endpoint is rotated',
      call: () => endpoints.rotate(scope, id, 'whsec_c2VjcmV0', now),
      ...aRecordById,
    },
    {
      name: 'a webhook endpoint is changed',
      call: () => endpoints.update(scope, id, { description: 'ERP', updatedAt: now }),
      ...aRecordById,
    },
    {
      name: 'a webhook endpoint is removed',
      call: () => transactions.run(unconditional, (session) => endpoints.remove(scope, String(newRecordId()), session)),
      indexes: byId,
      documents: 0,
    },
  ];
}

function deliveryQueryCases(
  application: TestApplication,
  { scope, now, endpoint, delivery }: ManyRecords,
): QueryCase[] {
  const deliveries = application.get(WebhookDeliveriesRepository);
  const id = String(endpoint);
  // The log is counted from the index, without reading documents.
  const ofEndpoint = { indexes: ['deliveries_of_endpoint'], documents: 21, counted: 0 };
  return [
    {
      name: 'the deliveries to an endpoint are listed',
      call: () => deliveries.findOfEndpoint(scope, id, page),
      ...ofEndpoint,
    },
    {
      name: 'the deliveries to an endpoint after a position are listed',
      call: () => deliveries.findOfEndpoint(scope, id, { limit: 20, after: { at: now, id: String(delivery) } }),
      ...ofEndpoint,
    },
    {
      name: 'a delivery is retried',
      call: () => deliveries.retry(scope, id, String(delivery), now),
      ...aRecordById,
    },
  ];
}

function queueQueryCases(application: TestApplication, { scope, now, endpoint, delivery }: ManyRecords): QueryCase[] {
  const queue = application.get(WebhookQueueRepository);
  const organizationId = toRecordId(scope.organization.id);
  const leasedUntil = new Date(now.getTime() + 60_000);
  const state = { failingSince: now, url: 'https://erp.example.com/', secret: 'whsec_c2VjcmV0' };
  const leased = { _id: endpoint, organizationId, leasedUntil, ...state } as LeasedEndpoint;
  const next = {
    _id: delivery,
    organizationId,
    body: '{}',
    attempts: [],
    nextAttemptAt: now,
  } as object as NextDelivery;
  const event = { id: 'f', type: 'ping', at: now, data: {} } as const;
  // Skips the endpoints that are paused or leased.
  const due = { indexes: ['due_endpoints'], documents: 1 };
  return [
    {
      name: 'all enabled endpoints are read',
      call: () => application.get(ChangesRepository).readCausally((session) => queue.findSubscribers(session)),
      indexes: due.indexes,
      documents: 201,
    },
    ...endpointFilters.map((filter) => ({
      name: `webhook endpoints of all organizations are listed: ${JSON.stringify(filter)}`,
      call: () => queue.findEndpoints({ ...page, ...filter }),
      indexes: ['all_endpoints'],
      documents: 21,
      // Counting reads the endpoints that are enabled, or those that are not.
      counted: 'status' in filter || 'disabledReason' in filter ? 201 : 0,
    })),
    { name: 'deliveries are added', call: () => queue.add([toDelivery(leased, event, event.at)]), ...aRecordById },
    { name: 'a due endpoint is leased', call: () => queue.claim(now, leasedUntil), ...due },
    { name: 'a leased endpoint is read', call: () => queue.findLeased(leased), ...aRecordById },
    {
      name: 'the next delivery to an endpoint is read',
      call: () => queue.findNext(leased),
      indexes: ['pending_deliveries'],
      documents: 1,
    },
    { name: 'an attempt is stored', call: () => queue.update(next, { status: 'succeeded' }), ...aRecordById },
    { name: 'an endpoint is released', call: () => queue.release(leased, now, { failingSince: null }), ...aRecordById },
    { name: 'the earliest due delivery is looked up', call: () => queue.findEarliestDue(now), ...due },
    {
      name: 'the disabled endpoints are counted',
      call: () => queue.countDisabled(),
      indexes: due.indexes,
      documents: 100,
    },
  ];
}
