import { gzipSync } from 'node:zlib';
import { expectFieldError, expectError } from '../support/expectations.js';
import {
  bodyLimitOf,
  bodyOperations,
  harmlessBodies,
  oversizedBodies,
  sendBody,
  unreadableBodies,
  unsupportedBodies,
} from '../support/hostile-bodies.js';
import { api, TestOrganization } from '../support/organization.js';
import { exchange, RawConnection, type RawResponse } from '../support/raw-http.js';
import { RunningServer } from '../support/server.js';

const limit = 102_400;

describe('the body of a request', () => {
  const server = RunningServer.forTests();
  const organization = TestOrganization.forTests(server);
  let seasonId: string;

  beforeAll(async () => {
    seasonId = (await organization.season())._id;
  });

  const post = (body: string | Buffer, headers: object = {}) =>
    organization
      .call('post', '/teams')
      .set({ 'Content-Type': 'application/json', ...headers })
      .serialize((bytes) => bytes as string) // unchanged, even if it is not text
      .send(body as string);
  const team = (name = 'Hawks') => JSON.stringify({ name, season: seasonId });

  it.each(['post', 'patch'] as const)(
    'defaults to an empty object, so that required fields are reported (%s)',
    async (method) => {
      const path = method === 'post' ? '/teams' : `/schedules/${seasonId}`;
      const missing = method === 'post' ? 'name' : 'teamId';
      expectFieldError(await organization.call(method, path), missing);
      expectFieldError(await organization.call(method, path).set('Content-Type', 'application/json'), missing);
      expectFieldError(await organization.call(method, path).send({}), missing);
      const empty = await raw('', { 'Content-Type': 'text/plain' });
      expect(JSON.parse(empty.body)).toMatchObject({ error: 40001, message: 'name is required' });
    },
  );

  // One guard reads the bodies of all routes.
  it.each(harmlessBodies)('is accepted in each equivalent form of JSON and HTTP: $what', async ({ of, headers }) => {
    await post(of(team()), headers).expect(201);
  });

  it.each([
    ...unreadableBodies.map((body) => ({ ...body, error: 40000 })),
    ...unsupportedBodies.map((body) => ({ ...body, error: 41500 })),
    ...oversizedBodies(limit).map((body) => ({ ...body, error: 41300 })),
  ])('returns $error for $what', async ({ of, headers, error }) => {
    expectError(await post(of(team()), headers), error);
  });

  it.each(bodyOperations)('has at most as many bytes as documented: $id', async (operation) => {
    const send = (bytes: number) => sendBody(organization, operation, '{}'.padEnd(bytes));
    expect((await send(bodyLimitOf(operation))).status).not.toBe(413);
    expectError(await send(bodyLimitOf(operation) + 1), 41300);
  });

  it.each<[string, Record<string, string>, string]>([
    ['text/plain', {}, 'Content-Type must be application/json'],
    ['', {}, 'Content-Type must be application/json'],
    ['application/merge-patch+json', {}, 'Content-Type must be application/json'],
    ['application/json; charset=latin1', {}, 'The charset of Content-Type must be utf-8'],
    ['application/json', { 'Content-Encoding': 'zstd' }, 'Content-Encoding must be gzip, deflate or br'],
  ])('returns 415 that names the wrong header: %s %j', async (type, headers, message) => {
    const { status, body } = await raw(team(), { ...(type && { 'Content-Type': type }), ...headers });
    expect([status, JSON.parse(body)]).toMatchObject([415, { error: 41500, message }]);
  });

  it('can be compressed as x-gzip, and a merge patch', async () => {
    const headers = { 'Content-Encoding': 'x-gzip', 'Content-Type': 'application/json' };
    const created = await post(gzipSync(team())).set(headers).expect(201);
    const path = `/teams/${(created.body as { _id: string })._id}`;
    const patched = organization.call('patch', path).set('Content-Type', 'application/merge-patch+json');
    await patched.send(JSON.stringify({ name: 'Owls' })).expect(200);
  });

  it('returns 40000 for bytes that are not UTF-8, and says so', async () => {
    const [before, after] = team('§').split('§') as [string, string];
    const response = await post(Buffer.concat([Buffer.from(before), Buffer.from([0x80]), Buffer.from(after)]));
    expect(expectError(response, 40000).message).toBe('The body is not valid UTF-8');
  });

  it('returns 413 for a Content-Length above the limit before the body has arrived', async () => {
    const connection = await RawConnection.open(server.url);
    const headers = ['Host: x', `Authorization: Bearer ${organization.key.apiKey}`, 'Content-Type: application/json'];
    const head = [`POST ${api}/teams HTTP/1.1`, ...headers, 'Content-Length: 500000'];
    connection.send([...head, '', '{"name":'].join('\r\n'));
    await connection.receives('"error":41300');
  });

  it('is limited without a Content-Length, too', async () => {
    const chunk = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n0\r\n\r\n`;
    const headers = { 'Content-Type': 'application/json', 'Transfer-Encoding': 'chunked' };
    expect((await raw(chunk(team().padEnd(limit)), headers)).status).toBe(201);
    expect(JSON.parse((await raw(chunk(team().padEnd(limit + 1)), headers)).body)).toMatchObject({ error: 41300 });
  });

  it.each(['get', 'delete'] as const)('is rejected by field if the route accepts no body: %s', async (method) => {
    const path = method === 'get' ? '/teams' : `/schedules/${seasonId}?teamId=${seasonId}`;
    expectFieldError(await organization.call(method, path).send({ name: 'Hawks' }), 'name');
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
