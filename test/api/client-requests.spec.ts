import { inspect } from 'node:util';
import { type Api, ApiError, ConnectionError, createClient, isError } from '../../clients/typescript/src/index.js';
import { Client, type ClientOptions } from '../../clients/typescript/src/http.js';
import { FaultyProxy, type Fault } from '../support/faulty-proxy.js';
import { publicDocument } from '../support/operations.js';
import { TestOrganization } from '../support/organization.js';
import { RunningServer } from '../support/server.js';

const rateLimited: Fault = { status: 429, error: 42901, retryAfter: 7 };
const unavailable: Fault = { status: 503, error: 50301, retryAfter: 2 };

describe('the TypeScript client', () => {
  const server = RunningServer.forTests();
  const organization = TestOrganization.forTests(server);
  let season: string;
  let teamId: string;
  let proxy: FaultyProxy;
  /** The times between attempts, in milliseconds. */
  let delays: number[];
  let client: Api;

  beforeAll(async () => {
    season = (await organization.season())._id;
    teamId = (await organization.team({ season }))._id;
  });
  beforeEach(async () => {
    proxy = await FaultyProxy.start(server.url);
    delays = [];
    client = clientWith({});
  });
  afterEach(() => proxy.stop());

  function clientWith(options: Partial<ClientOptions>): Api {
    const sleep = (milliseconds: number) => Promise.resolve(void delays.push(milliseconds));
    const { apiKey } = organization.key;
    return createClient({ apiKey, baseUrl: proxy.url, sleep, random: () => 0.5, ...options });
  }

  /** Lets the first requests fail, one fault each. */
  function failWith(...faults: Fault[]): void {
    proxy.faultOf = () => faults.shift();
  }

  async function errorOf(call: PromiseLike<unknown>): Promise<unknown> {
    return call.then(
      () => Promise.reject(new Error('The call must fail')),
      (error: unknown) => error,
    );
  }

  it('waits for Retry-After and a random part of a growing time before each retry', async () => {
    failWith(rateLimited, unavailable, 'lost request', 'lost response');
    const seasons = await client.seasons.list();
    expect(seasons.data.map(({ _id }) => _id)).toContain(season);
    expect(delays).toEqual([7_000 + 250, 2_000 + 500, 1_000, 2_000]);
  });

  it('tells about each retry before it waits', async () => {
    const retries: unknown[] = [];
    failWith(rateLimited, 'lost request');
    await clientWith({ onRetry: (retry) => retries.push([retry, delays.length]) }).seasons.list();
    const url = `${proxy.url}/v1/public-api/seasons`;
    expect(retries).toMatchObject([
      [{ method: 'GET', url, retry: 1, delay: 7_250, error: { status: 429 } }, 0],
      [{ method: 'GET', url, retry: 2, delay: 500, error: { name: 'ConnectionError' } }, 1],
    ]);
  });

  it('waits at most 1 hour for Retry-After, as a longer timer would end at once', async () => {
    const tomorrow = new Date(Date.now() + 24 * 3_600_000).toUTCString();
    failWith({ ...unavailable, retryAfter: 10_000_000 }, { ...unavailable, retryAfter: tomorrow });
    await client.seasons.list();
    expect(delays).toEqual([3_600_000 + 250, 3_600_000 + 500]);
  });

  it('fails with the last error after the maximum of retries', async () => {
    proxy.faultOf = () => unavailable;
    expect(await errorOf(client.teams.list())).toMatchObject({ status: 503, code: 50301, retryAfter: 2 });
    expect(proxy.requests).toHaveLength(6);
    expect(await errorOf(clientWith({ maxRetries: 1 }).teams.list())).toBeInstanceOf(ApiError);
    expect(await errorOf(client.teams.list({ maxRetries: 0 }))).toBeInstanceOf(ApiError);
    expect(proxy.requests).toHaveLength(6 + 2 + 1);
  });

  it('creates one player if responses are lost, with the same idem-key', async () => {
    failWith('lost response', 'lost request', 'lost response', unavailable);
    const create = (name: string) => client.players.create({ path: { teamId }, body: { name } });
    expect(await create('Lost')).toMatchObject({ name: 'Lost' });
    expect(proxy.requests).toHaveLength(5);
    expect(new Set(proxy.idemKeys).size).toBe(1);
    const { data } = await client.players.list({ path: { teamId }, query: { limit: 100 } });
    expect(data.filter(({ name }) => name === 'Lost')).toHaveLength(1);
    await create('Another');
    expect(new Set(proxy.idemKeys.filter(Boolean)).size).toBe(2);
  });

  it('repeats the recovery of deliveries, and returns its result', async () => {
    const { _id: id } = await client.webhooks.create({
      body: { url: 'https://erp.example/', events: ['team.deleted'] },
    });
    failWith('lost response', unavailable);
    const since = new Date().toISOString();
    expect(await client.webhooks.recover({ path: { id }, body: { since } })).toEqual({ queued: 0 });
  });

  it("sends the caller's idem-key", async () => {
    const create = (name: string) =>
      client.players.create({ path: { teamId }, body: { name }, idemKey: 'roster-2027-player-1' });
    const first = await create('Jordan Lee');
    expect(await create('Jordan Lee')).toEqual(first);
    expect(proxy.idemKeys).toEqual(['roster-2027-player-1', 'roster-2027-player-1']);
    expect(isError(await errorOf(create('Alex Kim')), 42201)).toBe(true);
  });

  it('repeats a POST after a lost connection only if it has an idem-key or is a bulk upsert', async () => {
    const attempts = new Map<string, number>();
    const count = (url: string) => attempts.set(url, (attempts.get(url) ?? 0) + 1);
    const lose: typeof fetch = (url) => (count(new URL(url).pathname), Promise.reject(new TypeError('lost')));
    const options = { apiKey: 'k', baseUrl: 'http://localhost', fetch: lose, maxRetries: 1 };
    const http = new Client({ ...options, sleep: () => Promise.resolve() });
    const posts = Object.entries(publicDocument.paths).filter(([, operations]) => 'post' in operations);
    for (const [path] of posts) {
      const url = path.replaceAll(/[{}]/g, '');
      // The transport knows an operation by the path in the document.
      const error = await errorOf(http.post({ url: path, path: namesOf(path), body: {} }));
      expect([url, error]).toEqual([url, expect.any(ConnectionError)]);
    }
    const once = [...attempts].filter(([, number]) => number === 1).map(([url]) => url.replace('/v1/public-api', ''));
    expect(once.sort()).toEqual([
      '/teams/teamId/calendar-links',
      '/webhook-endpoints',
      '/webhook-endpoints/id/deliveries/deliveryId/retry',
      '/webhook-endpoints/id/rotate-secret',
      '/webhook-endpoints/id/test',
    ]);
  });

  const namesOf = (path: string) =>
    Object.fromEntries([...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => [name, name]));

  it('repeats any request after 429, which had no effect', async () => {
    failWith(rateLimited);
    const error = await errorOf(client.webhooks.create({ body: { url: 'ftp://example.com/' } }));
    expect(isError(error, 40001)).toBe(true);
    expect(proxy.requests).toHaveLength(2);
  });

  it('throws an error with status, code, message, details and trace ID', async () => {
    const error = await errorOf(
      client.teams.create({ body: { name: '', season }, headers: { 'X-Request-Id': 'import-2027-05-01' } }),
    );
    if (!isError(error, 40001, 40905)) throw error;
    const code: 40001 | 40905 = error.code;
    expect(code).toBe(40001);
    expect(error).toMatchObject({
      name: 'ApiError',
      status: 400,
      code: 40001,
      traceId: 'import-2027-05-01',
      message: expect.stringContaining('name') as string,
      details: [{ field: 'name', message: expect.any(String) as string }],
    });
    expect(isError(error, 40905)).toBe(false);
    expect(isError(new Error('another'), 40001)).toBe(false);
  });

  it.each([
    ['a page of a proxy', 502, '<html>Bad gateway</html>'],
    ['another JSON document', 502, '[1]'],
    ['an empty body', 301, ''],
  ])('throws an error without a code for %s', async (_name, status, body) => {
    const fetch = () => Promise.resolve(new Response(body, { status, headers: { Location: 'http://localhost/' } }));
    const error = await errorOf(clientWith({ fetch, maxRetries: 2 }).teams.list());
    expect(error).toMatchObject({ name: 'ApiError', status, code: undefined, details: [] });
    expect(delays).toHaveLength(status === 502 ? 2 : 0);
  });

  it('repeats a request whose response is incomplete', async () => {
    const bodies = ['{"data": [', '{"data": [], "total": 0}'];
    const fetch = () => Promise.resolve(new Response(bodies.shift()));
    expect(await clientWith({ fetch }).teams.list()).toEqual({ data: [], total: 0 });
  });

  it('gives up an attempt after the timeout, and repeats it', async () => {
    let isFirst = true;
    proxy.faultOf = () => (isFirst ? ((isFirst = false), new Promise(() => undefined)) : undefined);
    expect(await client.teams.get({ path: { teamId }, timeout: 500 })).toMatchObject({ _id: teamId });
    expect(delays).toHaveLength(1);
  });

  it.each(['before it is sent', 'while it is sent', 'while it waits'])('can be aborted %s', async (moment) => {
    const controller = new AbortController();
    const reason = new Error('No longer needed');
    if (moment === 'before it is sent') controller.abort(reason);
    proxy.faultOf = () => {
      if (moment === 'while it waits') return unavailable;
      controller.abort(reason);
      return new Promise(() => undefined);
    };
    const { apiKey } = organization.key;
    const onFetch: typeof fetch = async (url, init) => {
      const response = await fetch(url, init);
      setImmediate(() => controller.abort(reason));
      return response;
    };
    const unhurried = createClient({ apiKey, baseUrl: proxy.url, fetch: onFetch, random: () => 1 });
    expect(await errorOf(unhurried.teams.list({ signal: controller.signal }))).toBe(reason);
    expect(proxy.requests.length).toBe(moment === 'before it is sent' ? 0 : 1);
  });

  it.each(['', '.', '..'])('rejects "%s" in a path, which would become another path', async (externalId) => {
    expect(await errorOf(client.teams.upsert({ path: { externalId }, body: { name: 'Owls' } }))).toBeInstanceOf(
      TypeError,
    );
    expect(proxy.requests).toEqual([]);
  });

  it('escapes the parameters of a path', async () => {
    const externalId = 'club:7@north~1';
    const team = await client.teams.upsert({ path: { externalId }, body: { name: 'Owls', season } });
    expect(await client.teams.getByExternalId({ path: { externalId } })).toEqual(team);
    expect(isError(await errorOf(client.teams.get({ path: { teamId: '../seasons?' } })), 40001)).toBe(true);
  });

  it('never shows the API key', async () => {
    const { apiKey } = organization.key;
    const errors = [
      await errorOf(clientWith({ baseUrl: 'http://127.0.0.1:1', maxRetries: 0 }).teams.list()),
      await errorOf(client.teams.get({ path: { teamId: 'unknown' } })),
    ];
    for (const malformed of [`${apiKey}\n`, `${apiKey} `, `${apiKey}…`, ''])
      try {
        clientWith({ apiKey: malformed });
      } catch (error) {
        errors.push(error);
      }
    expect(errors).toHaveLength(6);
    const shown = inspect([client, errors], { depth: 20, showHidden: true }) + JSON.stringify([client, errors]);
    expect(shown).not.toContain(apiKey);
  });
});
