import { ApiKeysRepository } from '../../src/modules/api-keys/api-keys.repository.js';
import { toRecordId } from '../../src/database/record.js';
import type { TestApplication } from './application.js';
import { oneById, page, query, transactionsOf, type QueryCase } from './query-case.js';
import type { ManyRecords } from './many-records.js';

/** Queries of API keys. */
export function apiKeyQueryCases(application: TestApplication, { tenant, keys, now }: ManyRecords): QueryCase[] {
  const within = transactionsOf(application);
  const apiKeys = application.get(ApiKeysRepository);
  const key = String(keys[5]);
  const organizationId = tenant.organization.id;
  const inUse = { _id: toRecordId(key), secretHash: 'hash' };
  const later = new Date(now.getTime() + 30 * 24 * 60 * 60 * 1_000);
  // The filters are checked in the index: only the keys of the page are read.
  const byCreation = { indexes: ['keys_by_creation'], documents: 21, counted: 0 };
  const renewed = { secretHash: 'another hash', secretTag: '0000' };
  return [
    query({ indexes: ['one_key_per_prefix', '_id_'], documents: 3 }, () =>
      apiKeys.findByPrefix('ffk_live_000000000005'),
    ),
    query({ indexes: ['one_key_per_prefix'], documents: 1 }, () =>
      apiKeys.findOtherPrefix(['ffk_other_', 'ffk_test_']),
    ),
    query({ indexes: ['keys_of_organization'], documents: 21 }, () =>
      apiKeys.findPage({ organizationId, ...page }, now),
    ),
    // Checks the status and the last use of the keys of one organization.
    query({ indexes: ['keys_of_organization'], documents: 100, counted: 100 }, () =>
      apiKeys.findPage({ organizationId, status: 'active', unusedSince: later, ...page }, now),
    ),
    query(byCreation, () => apiKeys.findPage(page, now)),
    ...(['active', 'expired', 'revoked'] as const).map((status) =>
      query(byCreation, () => apiKeys.findPage({ status, ...page }, now)),
    ),
    // Sorts entries of the index, then reads the keys of the page.
    query({ ...byCreation, sorts: true }, () =>
      apiKeys.findPage({ status: 'active', expiresBefore: later, ...page }, now),
    ),
    query(byCreation, () => apiKeys.findPage({ unusedSince: later, ...page }, now)),
    // Checks every key, because a part of a name has no order.
    query({ ...byCreation, documents: 300 }, () => apiKeys.findPage({ search: '000000000005', ...page }, now)),
    query(oneById, () => apiKeys.findById(key)),
    query(oneById, () =>
      apiKeys.updateLastUsed([{ keyId: key, at: now, address: '203.0.113.7', isPreviousSecret: true }]),
    ),
    within(oneById, (session) => apiKeys.updateById(key, { name: 'ERP', scopes: null, updatedAt: now }, session)),
    within(oneById, (session) => {
      const { _id, secretHash } = inUse;
      return apiKeys.updateById(String(_id), { ...renewed, rotatedAt: now }, session, { secretHash });
    }),
    within(oneById, (session) => apiKeys.endGracePeriod(key, now, session)),
    query({ indexes: ['keys_with_previous_secret'], documents: 0 }, () => apiKeys.removePreviousSecrets(now)),
  ];
}
