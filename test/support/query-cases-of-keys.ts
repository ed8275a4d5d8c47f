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
      call: () => apiKeys.findOfOrganization(organizationId, page),
      indexes: ['keys_of_organization'],
      documents: 21,
    },
    { name: 'a key is looked up by its id', call: () => apiKeys.findById(key), indexes: byId, documents: 1 },
    {
      name: 'the use of a key is written',
      call: () => apiKeys.updateLastUsed(new Map([[key, now]])),
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
