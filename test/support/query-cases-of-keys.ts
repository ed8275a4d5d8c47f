import { unconditional } from '../../src/common/context/request-context.js';
import { ApiKeysRepository } from '../../src/modules/api-keys/api-keys.repository.js';
import { toRecordId } from '../../src/database/record.js';
import { type Session, Transactions } from '../../src/database/transaction.js';
import type { TestApplication } from './application.js';
import { byId, type QueryCase, page } from './query-case.js';
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
    {
      name: 'a presented key is looked up',
      call: () => apiKeys.findByPrefix('ffk_live_000000000005'),
      indexes: ['one_key_per_prefix', '_id_'],
      documents: 3,
    },
    {
      name: 'keys of an organization are listed',
      call: () => apiKeys.findPage({ organizationId, ...page }, now),
      indexes: ['keys_of_organization'],
      documents: 21,
    },
    {
      name: 'unused keys of an organization are listed',
      call: () => apiKeys.findPage({ organizationId, status: 'active', unusedSince: later, ...page }, now),
      indexes: ['keys_of_organization'],
      // Checks the status and the last use of the keys of one organization.
      documents: 100,
      counted: 100,
    },
    { name: 'keys of all organizations are listed', call: () => apiKeys.findPage(page, now), ...byCreation },
    ...(['active', 'expired', 'revoked'] as const).map((status) => ({
      name: `${status} keys of all organizations are listed`,
      call: () => apiKeys.findPage({ status, ...page }, now),
      ...byCreation,
    })),
    {
      name: 'keys that expire soon are listed',
      call: () => apiKeys.findPage({ status: 'active', expiresBefore: later, ...page }, now),
      ...byCreation,
    },
    {
      name: 'unused keys are listed',
      call: () => apiKeys.findPage({ unusedSince: later, ...page }, now),
      ...byCreation,
    },
    { name: 'a key is looked up by its id', call: () => apiKeys.findById(key), indexes: byId, documents: 1 },
    {
      name: 'the use of a key is written',
      call: () => apiKeys.updateLastUsed(new Map([[key, now]])),
      indexes: byId,
      documents: 1,
    },
    {
      name: 'a key is changed',
      call: within((session) => apiKeys.updateById(key, { name: 'ERP', scopes: null, updatedAt: now }, session)),
      indexes: byId,
      documents: 1,
    },
    {
      name: 'a key is rotated',
      call: within((session) => apiKeys.rotate(inUse, { ...renewed, rotatedAt: now }, session)),
      indexes: byId,
      documents: 1,
    },
    {
      name: 'the grace of a secret is ended',
      call: within((session) => apiKeys.endGracePeriod(key, now, session)),
      indexes: byId,
      documents: 1,
    },
    {
      name: 'a key is revoked',
      call: within((session) => apiKeys.revoke(String(keys[6]), now, session)),
      indexes: byId,
      documents: 1,
    },
  ];
}
