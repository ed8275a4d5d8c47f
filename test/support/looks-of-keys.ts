import { ApiKeysRepository } from '../../src/api-keys/api-keys.repository.js';
import { PresentedKeysRepository } from '../../src/api-keys/presented-keys.repository.js';
import type { TestApplication } from './application.js';
import { byId, type Look, page } from './look.js';
import type { ManyRecords } from './many-records.js';

/** How keys are looked for. */
export function keyLooks(application: TestApplication, { scope, users, keys, now }: ManyRecords): Look[] {
  const apiKeys = application.get(ApiKeysRepository);
  const presented = application.get(PresentedKeysRepository);
  const key = String(keys[5]);
  const organizationId = scope.organization.id;
  return [
    {
      name: 'a presented key is looked up',
      call: () => presented.findPresented('ffk_live_000000000005'),
      indexes: ['one_key_per_prefix', '_id_'],
      documents: 3,
    },
    {
      name: 'keys of an organization are listed',
      call: () => apiKeys.findOfOrganization(organizationId, page),
      indexes: ['keys_of_organization'],
      documents: 20,
    },
    { name: 'a key is looked up by its id', call: () => apiKeys.exists(key), indexes: byId, documents: 1 },
    {
      name: 'the use of a key is written',
      call: () => apiKeys.markUsed(new Map([[key, now]])),
      indexes: byId,
      documents: 1,
    },
    {
      name: 'a key is rotated',
      call: () => apiKeys.rotate(key, 'hash', String(users[0]), now),
      indexes: byId,
      documents: 1,
    },
    { name: 'a key is revoked', call: () => apiKeys.revoke(String(keys[6]), now), indexes: byId, documents: 1 },
  ];
}
