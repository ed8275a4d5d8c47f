import { unconditional } from '../../src/access/request-context.js';
import { ApiKeysRepository } from '../../src/modules/api-keys/api-keys.repository.js';
import { toRecordId } from '../../src/database/record.js';
import { type Session, Transactions } from '../../src/database/transaction.js';
import type { TestApplication } from './application.js';
import { oneById, page, query, type QueryCase } from './query-case.js';
import type { ManyRecords } from './many-records.js';

/** Queries of API keys. */
export function apiKeyQueryCases(application: TestApplication, { scope, keys, now }: ManyRecords): QueryCase[] {
  const transactions = application.get(Transactions);
  const within = (work: (session: Session) => Promise<unknown>) => () => transactions.run(unconditional, work);
  const apiKeys = application.get(ApiKeysRepository);
  const key = String(keys[5]);
  const organizationId = scope.organization.id;
  const inUse = { _id: toRecordId(key), secretHash: 'hash' };
  const later = new Date(now.getTime() + 30 * 24 * 60 * 60 * 1_000);
  // The filters are checked in the index: only the keys of the page are read.
  const byCreation = { indexes: ['keys_by_creation'], documents: 21, counted: 0 };
  const renewed = { secretHash: 'another hash', secretTag: '0000' };
  return [
    query('a presented key is looked up', { indexes: ['one_key_per_prefix', '_id_'], documents: 3 }, () =>
      apiKeys.findByPrefix('ffk_live_000000000005'),
    ),
    query('active keys with another prefix are looked up', { indexes: ['one_key_per_prefix'], documents: 1 }, () =>
      apiKeys.findOtherPrefix(['ffk_other_', 'ffk_test_']),
    ),
    query('keys of an organization are listed', { indexes: ['keys_of_organization'], documents: 21 }, () =>
      apiKeys.findPage({ organizationId, ...page }, now),
    ),
    // Checks the status and the last use of the keys of one organization.
    query(
      'unused keys of an organization are listed',
      { indexes: ['keys_of_organization'], documents: 100, counted: 100 },
      () => apiKeys.findPage({ organizationId, status: 'active', unusedSince: later, ...page }, now),
    ),
    query('keys of all organizations are listed', byCreation, () => apiKeys.findPage(page, now)),
    ...(['active', 'expired', 'revoked'] as const).map((status) => ({
      name: `${status} keys of all organizations are listed`,
      call: () => apiKeys.findPage({ status, ...page }, now),
      ...byCreation,
    })),
    // Sorts entries of the index, then reads the keys of the page.
    query('keys that expire soon are listed', { ...byCreation, sorts: true }, () =>
      apiKeys.findPage({ status: 'active', expiresBefore: later, ...page }, now),
    ),
    query('unused keys are listed', byCreation, () => apiKeys.findPage({ unusedSince: later, ...page }, now)),
    // Checks every key, because a part of a name has no order.
    query('keys are searched by name or prefix', { ...byCreation, documents: 300 }, () =>
      apiKeys.findPage({ search: '000000000005', ...page }, now),
    ),
    query('a key is looked up by its id', oneById, () => apiKeys.findById(key)),
    query('the use of a key is written', oneById, () =>
      apiKeys.updateLastUsed([{ keyId: key, at: now, isPreviousSecret: true }]),
    ),
    query(
      'a key is changed',
      oneById,
      within((session) => apiKeys.updateById(key, { name: 'ERP', scopes: null, updatedAt: now }, session)),
    ),
    query(
      'a key is rotated',
      oneById,
      within((session) => {
        const { _id, secretHash } = inUse;
        return apiKeys.updateById(String(_id), { ...renewed, rotatedAt: now }, session, { secretHash });
      }),
    ),
    query(
      'the grace of a secret is ended',
      oneById,
      within((session) => apiKeys.endGracePeriod(key, now, session)),
    ),
    query(
      'previous secrets are removed after their grace periods',
      { indexes: ['keys_with_previous_secret'], documents: 0 },
      () => apiKeys.removePreviousSecrets(now),
    ),
  ];
}
