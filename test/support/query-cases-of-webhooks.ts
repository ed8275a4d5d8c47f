import { unconditional } from '../../src/access/request-context.js';
import { newRecordId, toRecordId } from '../../src/database/record.js';
import { Transactions } from '../../src/database/transaction.js';
import { WebhookDeliveriesRepository } from '../../src/modules/webhooks/webhook-deliveries.repository.js';
import { WebhookEndpointsRepository } from '../../src/modules/webhooks/webhook-endpoints.repository.js';
import { type LeasedEndpoint, WebhookQueueRepository } from '../../src/modules/webhooks/webhook-queue.repository.js';
import type { ListAllWebhookEndpointsQuery } from '../../src/modules/webhooks/webhook.dto.js';
import { toDelivery } from '../../src/modules/webhooks/webhook.rules.js';
import type { TestApplication } from './application.js';
import type { ManyRecords } from './many-records.js';
import { byId, oneById, page, query, type QueryCase } from './query-case.js';

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

function endpointQueryCases(application: TestApplication, { scope, now, endpoint }: ManyRecords): QueryCase[] {
  const endpoints = application.get(WebhookEndpointsRepository);
  const transactions = application.get(Transactions);
  const id = String(endpoint);
  return [
    query(
      'the webhook endpoints of an organization are listed',
      { indexes: ['one_endpoint_per_slot'], documents: 10 },
      () => endpoints.findAll(scope),
    ),
    query('a webhook endpoint is read', oneById, () => endpoints.findById(scope, id)),
    query('the secret of a webhook endpoint is rotated', oneById, () =>
      transactions.run(unconditional, (session) => endpoints.rotate(scope, id, 'whsec_c2VjcmV0', now, session)),
    ),
    query('a webhook endpoint is changed', oneById, () =>
      transactions.run(unconditional, (session) =>
        endpoints.update(scope, id, { description: 'ERP', updatedAt: now }, { filter: {}, session }),
      ),
    ),
    query('a webhook endpoint is removed', { indexes: byId, documents: 0 }, () =>
      transactions.run(unconditional, (session) => endpoints.remove(scope, String(newRecordId()), session)),
    ),
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
    query('the deliveries to an endpoint are listed', ofEndpoint, () => deliveries.findOfEndpoint(scope, id, {}, page)),
    query(
      'the deliveries to an endpoint with a status are listed',
      { ...ofEndpoint, indexes: ['deliveries_by_status'] },
      () => deliveries.findOfEndpoint(scope, id, { status: 'pending' }, page),
    ),
    query('the deliveries to an endpoint after a position are listed', ofEndpoint, () =>
      deliveries.findOfEndpoint(scope, id, {}, { limit: 20, after: { at: now, id: String(delivery) } }),
    ),
    query('a delivery is retried', oneById, () => deliveries.retry(scope, id, String(delivery), now)),
    query(
      'failed deliveries are recovered',
      { indexes: ['failed_deliveries', 'deliveries_by_status'], documents: 130 },
      () => deliveries.recover(scope, id, new Date(now.getTime() - 20 * 60_000)),
    ),
  ];
}

function queueQueryCases(application: TestApplication, { scope, now, endpoint, delivery }: ManyRecords): QueryCase[] {
  const queue = application.get(WebhookQueueRepository);
  const organizationId = toRecordId(scope.organization.id);
  const leasedUntil = new Date(now.getTime() + 60_000);
  const state = { failingSince: now, url: 'https://erp.example.com/', secret: 'whsec_c2VjcmV0' };
  const leased = { _id: endpoint, organizationId, leasedUntil, ...state } as LeasedEndpoint;
  const event = { id: 'f', type: 'team.updated', at: now, record: `team.${String(organizationId)}` } as const;
  const unsent = { ...toDelivery(leased, event), body: '' };
  const retried = { ...unsent, _id: delivery };
  // Skips the endpoints that are paused or leased.
  const due = { indexes: ['due_endpoints'], documents: 1 };
  return [
    query(
      'the endpoints of changed organizations are made due',
      { indexes: ['one_endpoint_per_slot'], documents: 10 },
      () => queue.wake([{ organizationId, position: 'f' }], 'f'),
    ),
    query('an endpoint is made due', oneById, () => queue.resume(scope.organization.id, String(endpoint))),
    ...endpointFilters.map((filter) => ({
      name: `webhook endpoints of all organizations are listed: ${JSON.stringify(filter)}`,
      call: () => queue.findEndpoints({ ...page, ...filter }),
      indexes: ['endpoints_failing_first'],
      documents: 21,
      // Counting reads the endpoints that are enabled, or those that are not.
      counted: 'status' in filter || 'disabledReason' in filter ? 201 : 0,
    })),
    query('a due endpoint is leased', due, () => queue.claim(1_000, [])),
    // And the due endpoints of the organization that is not.
    query('a due endpoint of an idle organization is leased', { ...due, documents: 1 + 9 }, () =>
      queue.claim(1_000, [organizationId]),
    ),
    query('a leased endpoint is read', oneById, () => queue.findLeased(leased)),
    query('the next delivery to an endpoint is read', { indexes: ['pending_deliveries'], documents: 1 }, () =>
      queue.findPending(leased, 1),
    ),
    query('pending deliveries to an endpoint are read', { indexes: ['pending_deliveries'], documents: 50 }, () =>
      queue.findPending(leased, 50),
    ),
    query('stored deliveries are read', oneById, () => queue.findLogged(leased, [unsent._id, retried._id])),
    query('an attempt is stored', oneById, () => queue.store(retried, { status: 'succeeded' })),
    query(
      'an event that failed is stored, and replaces the pending ones of its record',
      { indexes: ['deliveries_of_record'], documents: 130 },
      () => queue.store({ ...unsent, position: 'f' }, { status: 'pending' }),
    ),
    query(
      'the deliveries between two attempts are released',
      { indexes: ['deliveries_by_status'], documents: 130 },
      () => queue.sendWaiting(leased),
    ),
    query('an endpoint is released', oneById, () => queue.release(leased, { failingSince: null })),
    query('the endpoint that waits longest is looked up', due, () => queue.findLongestWait()),
    query('the disabled endpoints are counted', { indexes: due.indexes, documents: 100 }, () => queue.countDisabled()),
  ];
}
