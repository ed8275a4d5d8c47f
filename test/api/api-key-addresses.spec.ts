import { Agent } from 'node:http';
import type request from 'supertest';
import { revokeKey, rotateKey } from '../support/api-keys.js';
import { expectInvalidKey, expectError } from '../support/expectations.js';
import { createKey, createOrganization, api, type TestOrganization } from '../support/organization.js';
import { cheapHashes, preload } from '../support/preload.js';
import { RunningServer } from '../support/server.js';

/** Creates a key that can be used only from these addresses. */
const createKeyFor = async (organization: TestOrganization, allowedAddresses: string[], fields: object = {}) =>
  createKey(organization.server, organization.id, { allowedAddresses, ...fields });

describe('a key with allowed addresses', () => {
  let server: RunningServer;
  let organization: TestOrganization;

  beforeAll(async () => {
    server = await RunningServer.shared();
    organization = await createOrganization(server);
  });
  afterAll(() => server.stop());

  const from = (localAddress: string, key: string, path = '/teams'): request.Test =>
    organization.call('get', path, key).agent(new Agent({ localAddress }));

  it('works from an allowed address; from others it gets 40306 with the address', async () => {
    const { apiKey } = await createKeyFor(organization, ['127.0.0.2']);
    await from('127.0.0.2', apiKey).expect(200);
    expect(expectError(await from('127.0.0.1', apiKey), 40306).message).toContain('127.0.0.1');
    expect(expectError(await from('127.0.0.3', apiKey), 40306).message).toContain('127.0.0.3');
    await from('127.0.0.2', apiKey).expect(200);
  });

  it('works from every address of each allowed network', async () => {
    const { apiKey } = await createKeyFor(organization, ['2001:db8::/32', '127.0.0.4/30', '127.0.0.9']);
    for (const address of ['127.0.0.4', '127.0.0.7', '127.0.0.9']) await from(address, apiKey).expect(200);
    for (const address of ['127.0.0.3', '127.0.0.8', '127.0.0.10']) expectError(await from(address, apiKey), 40306);
  });

  it('ignores addresses in X-Forwarded-For and Forwarded headers', async () => {
    const { apiKey } = await createKeyFor(organization, ['203.0.113.7']);
    const forged = from('127.0.0.1', apiKey).set('X-Forwarded-For', '203.0.113.7').set('Forwarded', 'for=203.0.113.7');
    expectError(await forged, 40306);
  });

  it('keeps its allowed addresses for both secrets after a rotation', async () => {
    const { id, apiKey: old } = await createKeyFor(organization, ['127.0.0.2']);
    const { apiKey: renewed } = await rotateKey(server, id, { graceSeconds: 3_600 });
    for (const key of [old, renewed]) {
      await from('127.0.0.2', key).expect(200);
      expectError(await from('127.0.0.1', key), 40306);
    }
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

  it('does not affect other keys of the organization', async () => {
    await createKeyFor(organization, ['203.0.113.7']);
    await from('127.0.0.1', organization.key.apiKey).expect(200);
  });
});

describe('a key with allowed addresses behind a trusted proxy', () => {
  const failures = 4;
  let server: RunningServer;
  let organization: TestOrganization;

  beforeAll(async () => {
    const limits = { RATE_LIMIT_PER_MINUTE: '3', AUTH_FAILURES_PER_MINUTE: String(failures) };
    server = await RunningServer.start({ ...preload(cheapHashes), TRUST_PROXY: '1', ...limits });
    organization = await createOrganization(server);
  });
  afterAll(() => server.stop());

  const from = (address: string, key: string) =>
    organization.call('get', '/teams', key).set('X-Forwarded-For', address);

  it.each([
    ['203.0.113.7', '203.0.113.7'],
    ['203.0.113.0/24', '203.0.113.255'],
    ['203.0.113.7', '::ffff:203.0.113.7'],
    ['::ffff:203.0.113.0/120', '203.0.113.9'],
    ['2001:db8::7', '2001:0DB8:0:0:0:0:0:7'],
    ['2001:DB8::/32', '2001:db8:ffff::1'],
    ['::/0', '2001:db8::1'],
    ['0.0.0.0/0', '198.51.100.1'],
  ])('restricted to %s works from %s', async (allowed, address) => {
    const { apiKey } = await createKeyFor(organization, [allowed]);
    await from(address, apiKey).expect(200);
  });

  it.each([
    ['203.0.113.7', '203.0.113.70'],
    ['203.0.113.0/25', '203.0.113.128'],
    ['0.0.0.0/0', '2001:db8:1::1'],
    ['::/0', '198.51.100.2'],
    ['2001:db8::/32', '2001:db9::1'],
    ['2001:db8::7', '2001:db8::8'],
  ])('restricted to %s is rejected from %s', async (allowed, address) => {
    const { apiKey } = await createKeyFor(organization, [allowed]);
    expect(expectError(await from(address, apiKey), 40306).message).toContain(address);
  });

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
