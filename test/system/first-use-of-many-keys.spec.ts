import { availableParallelism } from 'node:os';
import { ObjectId } from 'mongodb';
import request, { type Response } from 'supertest';
import { formatApiKey, newKeyPrefix, newSecret, secretTagOf } from '../../src/modules/api-keys/api-key-format.js';
import { hashSecret } from '../../src/common/secrets/secret-hasher.js';
import { expectError } from '../support/expectations.js';
import { createOrganization, api, type TestOrganization } from '../support/organization.js';
import { logLines } from '../support/preload.js';
import { eventually } from '../support/processes.js';
import { RunningServer } from '../support/server.js';

/** More than can wait and be served meanwhile, by as many cores as there are. */
const crowd = 200 + 20 * availableParallelism();

describe('when very many keys are seen for the first time at once', () => {
  let server: RunningServer;
  let organization: TestOrganization;
  let keys: string[];

  beforeAll(async () => {
    server = await RunningServer.start();
    organization = await createOrganization(server);
    const stored = (await server.database()).collection('apiKeys');
    const one = await stored.findOne({ _id: new ObjectId(organization.key.id) });
    // Each key is checked by itself, although their secret is the same.
    const secret = newSecret();
    const kept = { secretHash: await hashSecret(secret), secretTag: secretTagOf(secret) };
    const prefixes = Array.from({ length: crowd }, () => newKeyPrefix('ffk_live_'));
    await stored.insertMany(prefixes.map((keyPrefix) => ({ ...one, ...kept, _id: new ObjectId(), keyPrefix })));
    keys = prefixes.map((keyPrefix) => formatApiKey({ keyPrefix, secret }));
  });
  afterAll(() => server.stop());

  const call = (key: string): Promise<Response> =>
    Promise.resolve(request(server.url).get(`${api}/seasons`).set('Authorization', `Bearer ${key}`));

  it('those beyond the waiting room get 503 with Retry-After, and none is called wrong; known keys are served', async () => {
    expect((await call(organization.key.apiKey)).status).toBe(200);
    const answers = Promise.all(keys.map(call));
    for (let i = 0; i < 10; i++) expect((await call(organization.key.apiKey)).status).toBe(200);
    const refused = (await answers).filter(({ status }) => status !== 200);
    const tooMany = refused.filter(({ body }) => (body as { error: number }).error === 50302);
    expect(tooMany.length).toBeGreaterThan(0);
    for (const answer of refused) {
      // Of those that waited for a place in service before, the time of the request may be over first.
      expectError(answer, tooMany.includes(answer) ? 50302 : 50301);
      expect(answer.headers['retry-after']).toBe('1');
    }
    // A line for each would be another load.
    const told = () => logLines(server.log, { level: 'warn' }).filter(({ error }) => error === 50302);
    await eventually('it is told', () => told().length > 0);
    expect(told().length).toBeLessThan(tooMany.length / 2);
    const [line] = told();
    expect(line?.['refused']).toBeGreaterThan(0);
    expect(line).not.toHaveProperty('requestId');
  });

  it('each is served in the end, when it does as it is told', async () => {
    let waiting = keys;
    for (let round = 0; waiting.length > 0 && round < 15; round++) {
      const answers = await Promise.all(waiting.map(async (key) => ({ key, status: (await call(key)).status })));
      waiting = answers.filter(({ status }) => status !== 200).map(({ key }) => key);
      if (waiting.length > 0) await new Promise((resolve) => setTimeout(resolve, 1_000));
    }
    expect(waiting).toEqual([]);
  });
});
