import type { Response } from 'supertest';
import { type Key, findListedKey, revokeKey, requestRotation, isKeyAccepted } from '../support/api-keys.js';
import { expectError } from '../support/expectations.js';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { RunningServer } from '../support/server.js';

const rounds = 6;

const server = RunningServer.forTests();

/** The issued keys; every other response must be 40904 without a secret. */
function issuedKeys(responses: readonly Response[]): Key[] {
  const won = responses.filter(({ status }) => status === 200);
  const lost = responses.filter(({ status }) => status !== 200);
  for (const response of lost) {
    expectError(response, 40904);
    expect(response.text).not.toContain('ffk_live_');
  }
  return won.map(({ body }) => body as Key);
}

/** The key that was issued last. */
function newestOf(keys: readonly Key[]): Key {
  const [newest] = [...keys].sort((a, b) => String(b['rotatedAt']).localeCompare(String(a['rotatedAt'])));
  if (newest === undefined) throw new Error('No secret was issued');
  return newest;
}

async function acceptedOf(organization: TestOrganization, keys: readonly string[]): Promise<string[]> {
  const found: string[] = [];
  for (const key of keys) if (await isKeyAccepted(organization, key)) found.push(key);
  return found;
}

describe('two admins at the same time', () => {
  it('rotating one key: every issued secret works at first, all others get 409 and no secret', async () => {
    let conflicts = 0;
    for (let round = 0; round < rounds; round++) {
      const organization = await createOrganization(server);
      const { id, apiKey } = organization.key;
      const responses = await Promise.all(Array.from({ length: 4 }, async () => requestRotation(server, id)));

      const keys = issuedKeys(responses);

      conflicts += responses.length - keys.length;
      // A later rotation has replaced each secret but the newest.
      expect(await acceptedOf(organization, [apiKey, ...keys.map((key) => key.apiKey)])).toEqual([
        newestOf(keys).apiKey,
      ]);
      expect((await findListedKey(organization))?.['rotatedAt']).toBe(newestOf(keys)['rotatedAt']);
    }
    // Without any conflict the requests would not have overlapped.
    expect(conflicts).toBeGreaterThan(0);
  });

  it('rotating and revoking one key: it is revoked and no secret works', async () => {
    for (let round = 0; round < rounds; round++) {
      const organization = await createOrganization(server);
      const { id, apiKey } = organization.key;
      const rotate = async () => requestRotation(server, id, { graceSeconds: 3_600 });
      const revoke = async () => revokeKey(server, id).expect(200);
      const first = round % 2 === 0 ? undefined : revoke();
      const [response] = await Promise.all([rotate(), first ?? revoke()]);

      if (response.status !== 200) expectError(response, 40903);
      const issued = response.status === 200 ? [(response.body as Key).apiKey] : [];
      expect(await acceptedOf(organization, [apiKey, ...issued])).toEqual([]);
      expect((await findListedKey(organization))?.status).toBe('revoked');
      expectError(await requestRotation(server, id), 40903);
    }
  });
});
