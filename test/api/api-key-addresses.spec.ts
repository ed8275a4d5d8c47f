import { Agent } from 'node:http';
import type request from 'supertest';
import { revokeKey, rotateKey } from '../support/api-keys.js';
import { expectInvalidKey, expectError } from '../support/expectations.js';
import { createKey, createOrganization, api, type TestOrganization } from '../support/organization.js';
import { cheapHashes, preload } from '../support/preload.js';
import { RunningServer } from '../support/server.js';

/** A key of an organization that may be used from these addresses only. */
const keyFor = async (organization: TestOrganization, allowedAddresses: string[], fields: object = {}) =>
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

  it('works from there, and is refused from elsewhere with the address that it came from', async () => {
    const { apiKey } = await keyFor(organization, ['127.0.0.2']);
    await from('127.0.0.2', apiKey).expect(200);
    expect(expectError(await from('127.0.0.1', apiKey), 40306).message).toContain('127.0.0.1');
    expect(expectError(await from('127.0.0.3', apiKey), 40306).message).toContain('127.0.0.3');
    await from('127.0.0.2', apiKey).expect(200);
  });

  it('works from every address of a network, and of each network that it was given', async () => {
    const { apiKey } = await keyFor(organization, ['2001:db8::/32', '127.0.0.4/30', '127.0.0.9']);
    for (const address of ['127.0.0.4', '127.0.0.7', '127.0.0.9']) await from(address, apiKey).expect(200);
    for (const address of ['127.0.0.3', '127.0.0.8', '127.0.0.10']) expectError(await from(address, apiKey), 40306);
  });

  it('is not let in by an address that a header makes up', async () => {
    const { apiKey } = await keyFor(organization, ['203.0.113.7']);
    const forged = from('127.0.0.1', apiKey).set('X-Forwarded-For', '203.0.113.7').set('Forwarded', 'for=203.0.113.7');
    expectError(await forged, 40306);
  });

  it('keeps them when it is rotated, for both of its secrets', async () => {
    const { id, apiKey: old } = await keyFor(organization, ['127.0.0.2']);
    const { apiKey: renewed } = await rotateKey(server, id, { graceSeconds: 3_600 });
    for (const key of [old, renewed]) {
      await from('127.0.0.2', key).expect(200);
      expectError(await from('127.0.0.1', key), 40306);
    }
  });

  it('says nothing of them where the secret is wrong or the key dead', async () => {
    const { id, apiKey } = await keyFor(organization, ['127.0.0.2']);
    const { apiKey: renewed } = await rotateKey(server, id);
    expectInvalidKey(await from('127.0.0.1', apiKey));
    await revokeKey(server, id).expect(200);
    expectInvalidKey(await from('127.0.0.1', renewed));
    expectInvalidKey(await from('127.0.0.2', renewed));
  });

  it('is told of its address before its scope', async () => {
    const { apiKey } = await keyFor(organization, ['127.0.0.2'], { scopes: ['seasons:read'] });
    expectError(await from('127.0.0.1', apiKey), 40306);
    expectError(await from('127.0.0.2', apiKey), 40305);
    await from('127.0.0.2', apiKey, '/seasons').expect(200);
  });

  it('leaves other keys of the organization as they are', async () => {
    await keyFor(organization, ['203.0.113.7']);
    await from('127.0.0.1', organization.key.apiKey).expect(200);
  });
});

describe('a key with allowed addresses, used through a proxy that is trusted', () => {
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
  ])('for %s works from %s', async (allowed, address) => {
    const { apiKey } = await keyFor(organization, [allowed]);
    await from(address, apiKey).expect(200);
  });

  it.each([
    ['203.0.113.7', '203.0.113.70'],
    ['203.0.113.0/25', '203.0.113.128'],
    ['0.0.0.0/0', '2001:db8:1::1'],
    ['::/0', '198.51.100.2'],
    ['2001:db8::/32', '2001:db9::1'],
    ['2001:db8::7', '2001:db8::8'],
  ])('for %s is refused from %s', async (allowed, address) => {
    const { apiKey } = await keyFor(organization, [allowed]);
    expect(expectError(await from(address, apiKey), 40306).message).toContain(address);
  });

  it('uses up none of its rate limit from elsewhere', async () => {
    const { apiKey } = await keyFor(organization, ['203.0.113.1']);
    for (let request = 0; request < failures; request++) {
      const rejected = await from('203.0.113.2', apiKey);
      expectError(rejected, 40306);
      expect(rejected.headers['ratelimit-remaining']).toBeUndefined();
    }
    expect((await from('203.0.113.1', apiKey).expect(200)).headers['ratelimit-remaining']).toBe('2');
  });

  it('counts as a failed authentication from elsewhere, and is never held back from where it may be used', async () => {
    const { apiKey } = await keyFor(organization, ['203.0.113.3']);
    for (let request = 0; request < failures; request++) expectError(await from('203.0.113.4', apiKey), 40306);
    const stranger = server.call('get', `${api}/teams`).set('X-Forwarded-For', '203.0.113.4');
    expectError(await stranger, 42902);
    await from('203.0.113.3', apiKey).expect(200);
    await from('203.0.113.4', organization.key.apiKey).expect(200);
  });
});
