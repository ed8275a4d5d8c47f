import { newRecordId, toRecordId } from '../../src/database/record.js';
import { WebhookDeliveriesRepository } from '../../src/modules/webhooks/webhook-deliveries.repository.js';
import { WebhookEndpointsRepository } from '../../src/modules/webhooks/webhook-endpoints.repository.js';
import { type LeasedEndpoint, WebhookQueueRepository } from '../../src/modules/webhooks/webhook-queue.repository.js';
import type { ListAllWebhookEndpointsQuery } from '../../src/modules/webhooks/webhook.dto.js';
import { toDelivery } from '../../src/modules/webhooks/webhook.rules.js';
import type { TestApplication } from './application.js';
import type { ManyRecords } from './many-records.js';
import { byId, oneById, page, query, transactionsOf, type QueryCase } from './query-case.js';

const endpointFilters: Partial<ListAllWebhookEndpointsQuery>[] = [
  {},
  { status: 'active' },
  { status: 'limited' },
  { status: 'failing' },
  { status: 'disabled' },
  { disabledReason: ['gone', 'failing'] },
  { search: 'erp.example.com/9' },
];

/** Queries of webhook endpoints, of their delivery logs, and of the queue of all organizations. */
export function webhookQueryCases(application: TestApplication, many: ManyRecords): QueryCase[] {
  return [
    ...endpointQueryCases(application, many),
    ...deliveryQueryCases(application, many),
    ...queueQueryCases(application, many),
  ];
}

function endpointQueryCases(application: TestApplication, { tenant, now, endpoint }: ManyRecords): QueryCase[] {
  const endpoints = application.get(WebhookEndpointsRepository);
  const within = transactionsOf(application);
  const id = String(endpoint);
  return [
    query({ indexes: ['one_endpoint_per_slot'], documents: 10 }, () => endpoints.findAll(tenant)),
    query(oneById, () => endpoints.findById(tenant, id)),
    within(oneById, (session) => endpoints.rotate(tenant, id, 'whsec_c2VjcmV0', now, session)),
    within(oneById, (session) => endpoints.update(tenant, id, { description: 'ERP', updatedAt: now }, {}, session)),
    within({ indexes: byId, documents: 0 }, (session) => endpoints.remove(tenant, String(newRecordId()), session)),
  ];
}

function deliveryQueryCases(
  application: TestApplication,
  { tenant, now, endpoint, delivery }: ManyRecords,
): QueryCase[] {
  const deliveries = application.get(WebhookDeliveriesRepository);
  const id = String(endpoint);
  // The log is counted from the index, without reading documents.
  const ofEndpoint = { indexes: ['deliveries_of_endpoint'], documents: 21, counted: 0 };
  return [
    query(ofEndpoint, () => deliveries.findOfEndpoint(tenant, id, {}, page)),
    query({ ...ofEndpoint, indexes: ['deliveries_by_status'] }, () =>
      deliveries.findOfEndpoint(tenant, id, { status: 'pending' }, page),
    ),
    query(ofEndpoint, () =>
      deliveries.findOfEndpoint(tenant, id, {}, { limit: 20, after: { at: now, id: String(delivery) } }),
    ),
    query(oneById, () => deliveries.retry(tenant, id, String(delivery), now)),
    query({ indexes: ['failed_deliveries', 'deliveries_by_status'], documents: 130 }, () =>
      deliveries.recover(tenant, id, new Date(now.getTime() - 20 * 60_000)),
    ),
  ];
}

function queueQueryCases(application: TestApplication, { tenant, now, endpoint, delivery }: ManyRecords): QueryCase[] {
  const queue = application.get(WebhookQueueRepository);
  const organizationId = toRecordId(tenant.organization.id);
  const leasedUntil = new Date(now.getTime() + 60_000);
  const state = { failingSince: now, url: 'https://erp.example.com/', secret: 'whsec_c2VjcmV0' };
  const leased = { _id: endpoint, organizationId, leasedUntil, ...state } as LeasedEndpoint;
  const event = { id: 'f', type: 'team.updated', at: now, record: `team.${String(organizationId)}` } as const;
  const unsent = { ...toDelivery(leased, event), body: '' };
  const retried = { ...unsent, _id: delivery };
  // Skips the endpoints that are paused or leased.
  const due = { indexes: ['due_endpoints'], documents: 1 };
  return [
    query({ indexes: ['one_endpoint_per_slot'], documents: 10 }, () =>
      queue.wake([{ organizationId, position: 'f' }], 'f'),
    ),
    query(oneById, () => queue.resume(tenant.organization.id, String(endpoint))),
    ...endpointFilters.map((filter) => {
      // Counting reads the endpoints that are enabled, or those that are not.
      const counted = 'status' in filter || 'disabledReason' in filter ? 201 : 0;
      const listed = { indexes: ['endpoints_failing_first'], documents: 21, counted };
      return query(listed, () => queue.findEndpoints({ ...page, ...filter }));
    }),
    query(due, () => queue.claim(1_000, [])),
    // And the due endpoints of the organization that is not.
    query({ ...due, documents: 1 + 9 }, () => queue.claim(1_000, [organizationId])),
    query(oneById, () => queue.findLeased(leased)),
    query({ indexes: ['pending_deliveries'], documents: 1 }, () => queue.findPending(leased, 1)),
    query({ indexes: ['pending_deliveries'], documents: 50 }, () => queue.findPending(leased, 50)),
    query(oneById, () => queue.store(retried, { status: 'succeeded' })),
    query({ indexes: ['deliveries_of_record'], documents: 130 }, () =>
      queue.store({ ...unsent, position: 'f' }, { status: 'pending' }),
    ),
    query({ indexes: ['deliveries_by_status'], documents: 130 }, () => queue.sendWaiting(leased)),
    query(oneById, () => queue.release(leased, { failingSince: null })),
    query(due, () => queue.findLongestWait()),
    query({ indexes: due.indexes, documents: 100 }, () => queue.countDisabled()),
  ];
}
