import type { CommandStartedEvent } from 'mongodb';
import { formatApiKey } from '../../src/modules/api-keys/api-key-format.js';
import { FailedRequests } from '../../src/modules/usage/failed-requests.service.js';
import { UsageService } from '../../src/modules/usage/usage.service.js';
import { InProcessServer } from '../support/in-process-server.js';
import { api, createKey, createOrganization, type TestOrganization } from '../support/organization.js';

jest.setTimeout(120_000);

/** Of each of four keys: a revoked one, one without the scope, and two that do not exist. */
const each = 400;
const concurrent = 50;
/** A minute can end during the flood. */
const minutes = 2;

describe('a flood of failed requests', () => {
  let own: InProcessServer;
  let organization: TestOrganization;
  let revoked: { id: string; apiKey: string };
  let limited: { id: string; apiKey: string };
  const commands: string[] = [];
  const served: number[] = [];

  const call = async (apiKey: string): Promise<number> => {
    const response = await fetch(`${own.server.url}${api}/teams`, { headers: { Authorization: `Bearer ${apiKey}` } });
    await response.arrayBuffer();
    return response.status;
  };

  beforeAll(async () => {
    own = await InProcessServer.start();
    organization = await createOrganization(own.server);
    revoked = await createKey(own.server, organization.id);
    limited = await createKey(own.server, organization.id, { scopes: ['seasons:read'] });
    await Promise.all([revoked, organization.key].map(({ apiKey }) => call(apiKey)));
    await own.server.asSuperAdmin('delete', `/api-keys/${revoked.id}`).expect(200);
    const strangers = ['a', 'b'].map((letter) =>
      formatApiKey({ keyPrefix: `ffk_live_${'0'.repeat(12)}`, secret: letter.repeat(32) }),
    );
    own.connection.getClient().on('commandStarted', ({ commandName, command }: CommandStartedEvent) => {
      const { [commandName]: target } = command as Record<string, unknown>;
      if (target === 'failedRequests' || target === 'requestCounts') commands.push(`${commandName} ${target}`);
    });
    const flooding = [revoked.apiKey, limited.apiKey, ...strangers];
    let sent = 0;
    const flood = async () => {
      while (sent < each * 4) await call(flooding[sent++ % flooding.length] ?? '');
    };
    const floods = Promise.all(Array.from({ length: concurrent }, flood));
    for (let turn = 0; turn < 20; turn++) served.push(await call(organization.key.apiKey));
    await floods;
    await Promise.all([own.get(FailedRequests).flush(), own.get(UsageService).flush()]);
  });
  afterAll(() => own.stop());

  const list = async (query: object) => {
    const listed = await own.server.asSuperAdmin('get', '/failed-requests').query({ ...query, limit: 100 });
    return (listed.body as { data: { reason?: string; error: number }[] }).data;
  };

  it('costs the keys of others nothing', () => {
    expect(served).toEqual(Array(20).fill(200));
  });

  it('is stored in few batches: at most 60 requests per minute and key, and none of strangers', async () => {
    const stored = await own.connection.collection('failedRequests').countDocuments({});
    expect(stored).toBeGreaterThanOrEqual(2 * 60);
    expect(stored).toBeLessThanOrEqual(2 * 60 * minutes);
    expect(commands).toContain('insert failedRequests');
    // Of 1,600 requests: one batch of a collection per second or ten, with those that are new.
    expect(commands.length).toBeLessThan(30);
    expect((await list({ apiKeyId: revoked.id })).every(({ reason }) => reason === 'revoked')).toBe(true);
    expect((await list({ apiKeyId: limited.id })).map(({ error }) => error)).toContain(40305);
  });

  it('is counted completely, with the reason and the address', async () => {
    const path = `/organizations/${organization.id}/usage/outcomes`;
    const listed = await own.server.asSuperAdmin('get', path).query({ apiKeyId: revoked.id, isError: true });
    const { data } = listed.body as { data: { requests: number; rejection?: string; detail?: string }[] };
    expect(data.reduce((sum, { requests }) => sum + requests, 0)).toBe(each);
    expect(data.map(({ rejection, detail }) => [rejection, detail])).toEqual(
      data.map(() => ['revoked', expect.stringMatching(/^(127\.0\.0\.1|::1)$/) as string]),
    );
  });
});
