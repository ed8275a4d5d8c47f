import { availableParallelism } from 'node:os';
import { ObjectId } from 'mongodb';
import request, { type Response } from 'supertest';
import { formatApiKey, newKeyPrefix, newSecret, secretTagOf } from '../../src/modules/api-keys/api-key-format.js';
import { hashSecret } from '../../src/access/secret-hasher.js';
import { expectError } from '../support/expectations.js';
import { api, TestOrganization } from '../support/organization.js';
import { logLines, realHashes } from '../support/preload.js';
import { eventually } from '../support/processes.js';
import { RunningServer } from '../support/server.js';

/** More than the queue and all cores can handle in time. */
const crowd = 200 + 20 * availableParallelism();

describe('many keys that are used for the first time at once', () => {
  const server = RunningServer.forTests(realHashes);
  const organization = TestOrganization.forTests(server);
  let keys: string[];

  beforeAll(async () => {
    const stored = (await server.database()).collection('apiKeys');
    const one = await stored.findOne({ _id: new ObjectId(organization.key.id) });
    // Each key is checked separately, although they have the same secret.
    const secret = newSecret();
    const kept = { secretHash: await hashSecret(secret), secretTag: secretTagOf(secret) };
    const prefixes = Array.from({ length: crowd }, () => newKeyPrefix('ffk_live_'));
    await stored.insertMany(prefixes.map((keyPrefix) => ({ ...one, ...kept, _id: new ObjectId(), keyPrefix })));
    keys = prefixes.map((keyPrefix) => formatApiKey({ keyPrefix, secret }));
  });

  const call = (key: string): Promise<Response> =>
    Promise.resolve(request(server.url).get(`${api}/seasons`).set('Authorization', `Bearer ${key}`));

  it('get 503 with Retry-After beyond the queue and never 401; cached keys are served', async () => {
    expect((await call(organization.key.apiKey)).status).toBe(200);
    const responses = Promise.all(keys.map(call));
    for (let i = 0; i < 10; i++) expect((await call(organization.key.apiKey)).status).toBe(200);
    const rejected = (await responses).filter(({ status }) => status !== 200);
    const tooMany = rejected.filter(({ body }) => (body as { error: number }).error === 50302);
    expect(tooMany.length).toBeGreaterThan(0);
    for (const response of rejected) {
      // The deadline of a request that waited for a slot before can end first.
      expectError(response, tooMany.includes(response) ? 50302 : 50301);
      expect(response.headers['retry-after']).toBe('1');
    }
    // A log line for each would add to the load.
    const overloadWarnings = () => logLines(server.log, { level: 'warn' }).filter(({ error }) => error === 50302);
    await eventually('the log line', () => overloadWarnings().length > 0);
    expect(overloadWarnings().length).toBeLessThan(tooMany.length / 2);
    const [line] = overloadWarnings();
    expect(line?.['rejected']).toBeGreaterThan(0);
    expect(line).not.toHaveProperty('requestId');
  });
});
