import type { Response } from 'supertest';
import { type Key, findListedKey, revokeKey, requestRotation, rotateKey, isKeyAccepted } from '../support/api-keys.js';
import { expectError } from '../support/expectations.js';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { RunningServer } from '../support/server.js';

const rounds = 6;

let server: RunningServer;

beforeAll(async () => {
  server = await RunningServer.shared();
});

afterAll(() => server.stop());

/** The secrets of those who got one; whoever got none must have been told that another was faster. */
function handedOut(responses: readonly Response[]): Key[] {
  const won = responses.filter(({ status }) => status === 200);
  const lost = responses.filter(({ status }) => status !== 200);
  for (const response of lost) {
    expectError(response, 40904);
    expect(response.text).not.toContain('ffk_live_');
  }
  return won.map(({ body }) => body as Key);
}

/** The key that was handed out last. */
function newestOf(keys: readonly Key[]): Key {
  const [newest] = [...keys].sort((a, b) => String(b['rotatedAt']).localeCompare(String(a['rotatedAt'])));
  if (newest === undefined) throw new Error('Nobody got a secret');
  return newest;
}

async function working(organization: TestOrganization, keys: readonly string[]): Promise<string[]> {
  const found: string[] = [];
  for (const key of keys) if (await isKeyAccepted(organization, key)) found.push(key);
  return found;
}

describe('two admins at once', () => {
  it('who rotate a key: whoever gets a secret gets one that works, the others get 409 and none', async () => {
    let refusals = 0;
    for (let round = 0; round < rounds; round++) {
      const organization = await createOrganization(server);
      const { id, apiKey } = organization.key;
      const responses = await Promise.all(Array.from({ length: 4 }, async () => requestRotation(server, id)));

      const keys = handedOut(responses);

      refusals += responses.length - keys.length;
      // Only a rotation that began after another had ended can have made the first one's secret old.
      expect(await working(organization, [apiKey, ...keys.map((key) => key.apiKey)])).toEqual([newestOf(keys).apiKey]);
      expect((await findListedKey(organization))?.['rotatedAt']).toBe(newestOf(keys)['rotatedAt']);
    }
    // That nobody was ever refused would mean that nothing happened at once here.
    expect(refusals).toBeGreaterThan(0);
  });

  it('who rotate a key with a grace: at most two secrets are alive, and the newest is one of them', async () => {
    for (let round = 0; round < rounds; round++) {
      const organization = await createOrganization(server);
      const { id, apiKey } = organization.key;
      const send = async () => requestRotation(server, id, { graceSeconds: 3_600 });
      const keys = handedOut(await Promise.all([send(), send(), send()]));

      const alive = await working(organization, [apiKey, ...keys.map((key) => key.apiKey)]);
      expect(alive).toContain(newestOf(keys).apiKey);
      expect(alive.length).toBeLessThanOrEqual(2);
    }
  });

  it('of whom one revokes what the other rotates: the key is revoked, and no secret of it works', async () => {
    for (let round = 0; round < rounds; round++) {
      const organization = await createOrganization(server);
      const { id, apiKey } = organization.key;
      const rotate = async () => requestRotation(server, id, { graceSeconds: 3_600 });
      const revoke = async () => revokeKey(server, id).expect(200);
      const first = round % 2 === 0 ? undefined : revoke();
      const [response] = await Promise.all([rotate(), first ?? revoke()]);

      if (response.status !== 200) expectError(response, 40903);
      const handed = response.status === 200 ? [(response.body as Key).apiKey] : [];
      expect(await working(organization, [apiKey, ...handed])).toEqual([]);
      expect((await findListedKey(organization))?.status).toBe('revoked');
      expectError(await requestRotation(server, id), 40903);
    }
  });

  it('of whom one revokes after the other has rotated, at whatever distance: the key is revoked', async () => {
    for (const distance of [5, 10, 20, 40]) {
      const organization = await createOrganization(server);
      const rotation = requestRotation(server, organization.key.id).then((response) => response);
      await new Promise((resolve) => setTimeout(resolve, distance));
      await revokeKey(server, organization.key.id).expect(200);
      const answer = await rotation;
      if (answer.status === 200) expect(await isKeyAccepted(organization, (answer.body as Key).apiKey)).toBe(false);
      else expectError(answer, 40903);
      expect((await findListedKey(organization))?.status).toBe('revoked');
    }
  });

  it('who both revoke a key are both told that it is revoked', async () => {
    const organization = await createOrganization(server);
    const { id, apiKey } = organization.key;
    await Promise.all([revokeKey(server, id).expect(200), revokeKey(server, id).expect(200)]);
    expect(await isKeyAccepted(organization, apiKey)).toBe(false);
  });

  it('who rotate two keys do not hinder each other', async () => {
    const organizations = [await createOrganization(server), await createOrganization(server)];
    const keys = await Promise.all(organizations.map(({ key }) => rotateKey(server, key.id)));
    for (const [index, organization] of organizations.entries()) {
      expect(await isKeyAccepted(organization, keys[index]?.apiKey ?? '')).toBe(true);
    }
  });
});
