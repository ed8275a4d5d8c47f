import { Agent } from 'node:http';
import type request from 'supertest';
import { revokeKey, rotateKey } from '../support/api-keys.js';
import { expectInvalidKey, expectError } from '../support/expectations.js';
import { createKey, createOrganization, api, type TestOrganization } from '../support/organization.js';
import { RunningServer } from '../support/server.js';

/** Creates a key that can be used only from these addresses. */
const createKeyFor = async (organization: TestOrganization, allowedAddresses: string[], fields: object = {}) =>
  createKey(organization.server, organization.id, { allowedAddresses, ...fields });

describe('a key with allowed addresses', () => {
  const server = RunningServer.forTests();
  let organization: TestOrganization;

  beforeAll(async () => {
    organization = await createOrganization(server);
  });

  const from = (localAddress: string, key: string, path = '/teams'): request.Test =>
    organization.call('get', path, key).agent(new Agent({ localAddress }));

  it('works from an allowed address; from others it gets 40306 with the address', async () => {
    const { apiKey } = await createKeyFor(organization, ['127.0.0.2']);
    await from('127.0.0.2', apiKey).expect(200);
    expect(expectError(await from('127.0.0.1', apiKey), 40306).message).toContain('127.0.0.1');
    expect(expectError(await from('127.0.0.3', apiKey), 40306).message).toContain('127.0.0.3');
    await from('127.0.0.2', apiKey).expect(200);
  });

  it('ignores addresses in X-Forwarded-For and Forwarded headers', async () => {
    const { apiKey } = await createKeyFor(organization, ['203.0.113.7']);
    const forged = from('127.0.0.1', apiKey).set('X-Forwarded-For', '203.0.113.7').set('Forwarded', 'for=203.0.113.7');
    expectError(await forged, 40306);
  });

  it('gets 40101 without address details if the secret is wrong or the key is revoked', async () => {
    const { id, apiKey } = await createKeyFor(organization, ['127.0.0.2']);
    const { apiKey: renewed } = await rotateKey(server, id);
    expectInvalidKey(await from('127.0.0.1', apiKey));
    await revokeKey(server, id).expect(200);
    expectInvalidKey(await from('127.0.0.1', renewed));
    expectInvalidKey(await from('127.0.0.2', renewed));
  });

  it('gets 40306 for the address before 40305 for the scope', async () => {
    const { apiKey } = await createKeyFor(organization, ['127.0.0.2'], { scopes: ['seasons:read'] });
    expectError(await from('127.0.0.1', apiKey), 40306);
    expectError(await from('127.0.0.2', apiKey), 40305);
    await from('127.0.0.2', apiKey, '/seasons').expect(200);
  });
});

describe('a key with allowed addresses behind a trusted proxy', () => {
  const failures = 4;
  const limits = { RATE_LIMIT_PER_MINUTE: '3', AUTH_FAILURES_PER_MINUTE: String(failures) };
  const server = RunningServer.forTests({ TRUST_PROXY: '1', ...limits });
  let organization: TestOrganization;

  beforeAll(async () => {
    organization = await createOrganization(server);
  });

  const from = (address: string, key: string) =>
    organization.call('get', '/teams', key).set('X-Forwarded-For', address);

  it('does not use up its rate limit from other addresses', async () => {
    const { apiKey } = await createKeyFor(organization, ['203.0.113.1']);
    for (let request = 0; request < failures; request++) {
      const rejected = await from('203.0.113.2', apiKey);
      expectError(rejected, 40306);
      expect(rejected.headers['ratelimit-remaining']).toBeUndefined();
    }
    expect((await from('203.0.113.1', apiKey).expect(200)).headers['ratelimit-remaining']).toBe('2');
  });

  it('counts as a failed authentication from other addresses, and still works from its own', async () => {
    const { apiKey } = await createKeyFor(organization, ['203.0.113.3']);
    for (let request = 0; request < failures; request++) expectError(await from('203.0.113.4', apiKey), 40306);
    const anonymous = server.call('get', `${api}/teams`).set('X-Forwarded-For', '203.0.113.4');
    expectError(await anonymous, 42902);
    await from('203.0.113.3', apiKey).expect(200);
    await from('203.0.113.4', organization.key.apiKey).expect(200);
  });
});
