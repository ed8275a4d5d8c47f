import { expectFieldError, expectInvalidKey, expectError } from '../support/expectations.js';
import { createOrganization, api, type TestOrganization } from '../support/organization.js';
import { exchange, type RawResponse } from '../support/raw-http.js';
import { RunningServer } from '../support/server.js';

const limit = 102_400;

describe('the body of a request', () => {
  let server: RunningServer;
  let organization: TestOrganization;
  let seasonId: string;

  beforeAll(async () => {
    server = await RunningServer.shared();
    organization = await createOrganization(server);
    seasonId = (await organization.season())._id;
  });
  afterAll(() => server.stop());

  const post = (body: string | Buffer, type = 'application/json') =>
    organization
      .call('post', '/teams')
      .set('Content-Type', type)
      .serialize((bytes) => bytes as string) // unchanged, even if it is not text
      .send(body as string);
  const team = (name = 'Hawks') => JSON.stringify({ name, season: seasonId });

  it.each([
    ['an open brace', '{'],
    ['a string without quotes', 'name'],
    ['single quotes', "{'name':'Hawks'}"],
    ['a trailing comma', '{"name":"Hawks",}'],
    ['more after its end', '{"name":"Hawks"} {}'],
    ['a comment', '{"name":"Hawks"/* the team */}'],
    ['NaN', '{"name":NaN}'],
    ['only white space', '   '],
  ])('returns 40000 for invalid JSON: %s', async (_what, body) => {
    expectError(await post(body), 40000);
  });

  it.each(['[]', '[{"name":"Hawks"}]', 'null', 'true', '1', '"Hawks"'])(
    'returns 40000 for JSON other than an object: %s',
    async (body) => {
      expectError(await post(body), 40000);
    },
  );

  it.each(['post', 'patch'] as const)(
    'defaults to an empty object, so that required fields are reported (%s)',
    async (method) => {
      const path = method === 'post' ? '/teams' : `/schedules/${seasonId}`;
      const missing = method === 'post' ? 'name' : 'teamId';
      expectFieldError(await organization.call(method, path), missing);
      expectFieldError(await organization.call(method, path).set('Content-Type', 'application/json'), missing);
      expectFieldError(await organization.call(method, path).send({}), missing);
    },
  );

  it.each([
    'application/json',
    'application/json; charset=utf-8',
    'application/json; charset=UTF-8',
    'Application/JSON',
  ])('is accepted as %s', async (type) => {
    expect((await post(team('Füchse 🦊'), type).expect(201)).body).toMatchObject({ name: 'Füchse 🦊' });
  });

  it.each([
    'text/plain',
    'text/json',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/xml',
    'application/jsonx',
    'nonsense',
    'application/json; charset=iso-8859-1',
    'application/json; charset=utf-16le',
    'application/json; charset="utf-7"',
    'application/json; charset=nonsense',
  ])('returns 415 as %s', async (type) => {
    expectError(await post(team(), type), 41500);
  });

  it('returns 415 without a content type or with an unknown content encoding', async () => {
    expect((await raw(team(), {})).status).toBe(415);
    expect(JSON.parse((await raw(team(), {})).body)).toMatchObject({ error: 41500 });
    const encoded = await raw(team(), { 'Content-Type': 'application/json', 'Content-Encoding': 'nonsense' });
    expect(JSON.parse(encoded.body)).toMatchObject({ error: 41500 });
  });

  it.each<[string, number[]]>([
    ['a lone continuation byte', [0x80]],
    ['an overlong slash', [0xc0, 0xaf]],
    ['a surrogate', [0xed, 0xa0, 0x80]],
    ['half a character', [0xe2, 0x82]],
    ['Latin-1', [0xe4]],
  ])('returns 40000 for bytes that are not UTF-8: %s', async (_what, bytes) => {
    const [before, after] = team('§').split('§') as [string, string];
    expectError(await post(Buffer.concat([Buffer.from(before), Buffer.from(bytes), Buffer.from(after)])), 40000);
  });

  it('can have 102,400 bytes; one more returns 413', async () => {
    await post(team().padEnd(limit)).expect(201);
    expectError(await post(team().padEnd(limit + 1)), 41300);
  });

  it('is limited in bytes, not characters', async () => {
    const body = team('ü'.repeat(limit / 2));
    expect(body.length).toBeLessThan(limit);
    expectError(await post(body), 41300);
  });

  it('is limited without a Content-Length, too', async () => {
    const chunk = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n0\r\n\r\n`;
    const headers = { 'Content-Type': 'application/json', 'Transfer-Encoding': 'chunked' };
    expect((await raw(chunk(team().padEnd(limit)), headers)).status).toBe(201);
    expect(JSON.parse((await raw(chunk(team().padEnd(limit + 1)), headers)).body)).toMatchObject({ error: 41300 });
  });

  it('can have 32 levels; 33 return 40000', async () => {
    const nested = (levels: number) => `{"deep":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}`;
    expectFieldError(await post(nested(32)), 'deep');
    expectError(await post(nested(33)), 40000);
    const objects = `${'{"deep":'.repeat(33)}1${'}'.repeat(33)}`;
    expectError(await post(objects), 40000);
  });

  it.each([4_000, 48_000])('returns 40000 with %d levels, without affecting other requests', async (levels) => {
    expectError(await post(`{"deep":${'['.repeat(levels)}${']'.repeat(levels)}}`), 40000);
    await server.call('get', '/health/live').expect(200);
  });

  it.each(['get', 'delete'] as const)('is rejected by field if the route accepts no body: %s', async (method) => {
    const path = method === 'get' ? '/teams' : `/schedules/${seasonId}?teamId=${seasonId}`;
    expectFieldError(await organization.call(method, path).send({ name: 'Hawks' }), 'name');
  });

  it('is not read without a valid key', async () => {
    expectInvalidKey(
      await server.call('post', `${api}/teams`).set('Content-Type', 'text/plain').send('x'.repeat(300_000)),
    );
  });

  /** Sends a body with exactly these headers, and a Content-Length unless there is a Transfer-Encoding. */
  function raw(body: string, headers: Record<string, string>): Promise<RawResponse> {
    const all = {
      Host: 'localhost',
      Connection: 'close',
      Authorization: `Bearer ${organization.key.apiKey}`,
      ...(!('Transfer-Encoding' in headers) && { 'Content-Length': String(Buffer.byteLength(body)) }),
      ...headers,
    };
    const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
    return exchange(server.url, `POST ${api}/teams HTTP/1.1\r\n${lines.join('')}\r\n${body}`);
  }
});
