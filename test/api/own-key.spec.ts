import { apiKeyScopes } from '../../src/access/public-api.js';
import { version } from '../../src/config/package.js';
import { expectInvalidKey } from '../support/expectations.js';
import { createKey, TestOrganization } from '../support/organization.js';
import { RunningServer } from '../support/server.js';

const server = RunningServer.forTests();
const organization = TestOrganization.forTests(server);

describe('GET /me', () => {
  it('says what an unrestricted key can do, with a rate limit of its own', async () => {
    await organization.call('get', '/teams').expect(200);
    const response = await organization.call('get', '/me').expect(200);
    const { keyPrefix } = organization.key;
    expect(response.body).toEqual({
      data: {
        organization: { _id: organization.id, name: 'Bay Area Flag Football', isSandbox: false },
        key: {
          name: 'Registration platform',
          keyPrefix,
          scopes: apiKeyScopes,
          allowedAddresses: ['0.0.0.0/0', '::/0'],
        },
        limits: { perMinute: 1_000_000 },
        serverTime: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/) as string,
        version,
      },
    });
    expect(response.headers['ratelimit-remaining']).toBe('999999');
    expectInvalidKey(await organization.call('get', '/me', `${organization.key.apiKey.slice(0, -1)}_`));
  });

  it('says what limits a key, whatever its scope', async () => {
    const expiresAt = '2199-01-01T00:00:00.000Z';
    const limits = { scopes: ['teams:read'], allowedAddresses: ['127.0.0.0/8'], expiresAt };
    const { id } = await createKey(server, organization.id, limits);
    const rotated = await server.asSuperAdmin('post', `/api-keys/${id}/rotate`).send({ graceSeconds: 3_600 });
    const { apiKey, previousSecretExpiresAt } = rotated.body as Record<'apiKey' | 'previousSecretExpiresAt', string>;
    const response = await organization.call('get', '/me', apiKey).expect(200);
    expect((response.body as { data: object }).data).toMatchObject({ key: { ...limits, previousSecretExpiresAt } });
  });
});
