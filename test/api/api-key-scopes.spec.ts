import { readFileSync } from 'node:fs';
import path from 'node:path';
import { type ApiKeyScope, apiKeyScopes } from '../../src/common/http/public-api.js';
import { rotateKey } from '../support/api-keys.js';
import { expectInvalidKey, expectError } from '../support/expectations.js';
import { unknownId } from '../support/http-routes.js';
import { operations as documented } from '../support/operations.js';
import { createKey, createOrganization, api, type TestOrganization } from '../support/organization.js';
import { RawConnection } from '../support/raw-http.js';
import { cheapHashes, preload } from '../support/preload.js';
import { type Method, RunningServer } from '../support/server.js';

interface Published {
  operationId: string;
  description: string;
  'x-required-scope'?: string;
}

/** The scope that each operation requires by contract. */
const requiredScopes: Record<string, ApiKeyScope> = {
  listSeasons: 'seasons:read',
  listTeams: 'teams:read',
  getTeam: 'teams:read',
  getTeamByExternalId: 'teams:read',
  createTeam: 'teams:write',
  updateTeam: 'teams:write',
  upsertTeam: 'teams:write',
  bulkUpsertTeams: 'teams:write',
  listPlayers: 'players:read',
  getPlayer: 'players:read',
  getPlayerByExternalId: 'players:read',
  createPlayer: 'players:write',
  updatePlayer: 'players:write',
  upsertPlayer: 'players:write',
  bulkUpsertPlayers: 'players:write',
  deletePlayer: 'players:write',
  listSchedules: 'schedules:read',
  getSchedule: 'schedules:read',
  getScheduleByExternalId: 'schedules:read',
  createSchedule: 'schedules:write',
  updateSchedule: 'schedules:write',
  upsertSchedule: 'schedules:write',
  bulkUpsertSchedules: 'schedules:write',
  deleteSchedule: 'schedules:write',
  getPlayerStatistics: 'statistics:read',
  listChanges: 'changes:read',
  createWebhookEndpoint: 'webhooks:write',
  listWebhookEndpoints: 'webhooks:read',
  getWebhookEndpoint: 'webhooks:read',
  updateWebhookEndpoint: 'webhooks:write',
  deleteWebhookEndpoint: 'webhooks:write',
  rotateWebhookSecret: 'webhooks:write',
  testWebhookEndpoint: 'webhooks:write',
  listDeliveries: 'webhooks:read',
  retryDelivery: 'webhooks:write',
};

const document = JSON.parse(readFileSync(path.resolve(__dirname, '../../openapi/public.json'), 'utf8')) as {
  paths: Record<string, Record<string, Published>>;
};

const operations = Object.entries(document.paths).flatMap(([route, item]) =>
  Object.entries(item).map(([method, operation]) => ({
    ...operation,
    method: method as Method,
    path: route.replace(/\{\w+\}/g, unknownId).slice(api.length),
    scope: operation['x-required-scope'] as ApiKeyScope,
  })),
);

let server: RunningServer;
let organization: TestOrganization;
const keys = new Map<string, string>();

beforeAll(async () => {
  server = await RunningServer.shared();
  organization = await createOrganization(server);
});

afterAll(() => server.stop());

/** Returns a key with these scopes, created once. */
async function keyWithScopes(scopes: readonly ApiKeyScope[]): Promise<string> {
  const name = scopes.join(' ');
  const known = keys.get(name) ?? (await createKey(server, organization.id, { scopes })).apiKey;
  keys.set(name, known);
  return known;
}

/** Every scope that does not include this one. */
const allBut = (scope: ApiKeyScope) =>
  apiKeyScopes.filter((other) => other !== scope && other !== `${String(scope.split(':')[0])}:*`);

describe('the published document', () => {
  it('states the required scope of every operation, in `x-required-scope` and in the description', () => {
    expect(Object.fromEntries(operations.map(({ operationId, scope }) => [operationId, scope]))).toEqual(
      requiredScopes,
    );
    for (const { description, scope } of operations) expect(description).toContain(`Requires the scope \`${scope}\`.`);
  });

  it('lists 40305 and 40306 for every operation', () => {
    const partners = documented.filter(({ caller }) => caller === 'apiKey');
    for (const { errors } of partners) expect(errors).toEqual(expect.arrayContaining([40305, 40306]));
  });
});

describe.each(operations)('$operationId', ({ method, path: route, scope }) => {
  it(`accepts a key with only ${scope}`, async () => {
    const response = await organization.call(method, route, await keyWithScopes([scope]));
    // The request is empty and names no existing record, so that it may fail for other reasons.
    expect((response.body as { error?: number }).error).not.toBe(40305);
    expect(response.status).not.toBe(401);
  });

  it(`rejects a key with every scope except ${scope}, naming it`, async () => {
    const response = await organization.call(method, route, await keyWithScopes(allBut(scope)));
    expect(expectError(response, 40305).message).toBe(`The API key lacks the scope ${scope}`);
  });

  it('accepts a key without scopes', async () => {
    const response = await organization.call(method, route);
    expect((response.body as { error?: number }).error).not.toBe(40305);
    expect(response.status).not.toBe(401);
  });
});

describe.each(['players', 'schedules'] as const)('a key with %s:*', (resource) => {
  it('can read and write them, and nothing else', async () => {
    const key = await keyWithScopes([`${resource}:*`]);
    for (const { method, path: route, scope } of operations) {
      const { error } = (await organization.call(method, route, key)).body as { error?: number };
      expect([scope, error === 40305]).toEqual([scope, !scope.startsWith(`${resource}:`)]);
    }
  });
});

describe('a key with scopes', () => {
  it('can do what they allow', async () => {
    const key = await keyWithScopes(['teams:read', 'teams:write']);
    const season = await organization.season();
    await organization.call('post', '/teams', key).send({ name: 'Hawks', season: season._id }).expect(201);
    await organization.call('get', '/teams', key).expect(200);
    await organization.call('head', '/teams', key).expect(200);
    expect((await organization.call('head', '/seasons', key)).status).toBe(403);
  });

  it('keeps them after a rotation', async () => {
    const { id } = await createKey(server, organization.id, { scopes: ['teams:read'] });
    const { apiKey } = await rotateKey(server, id);
    await organization.call('get', '/teams', apiKey).expect(200);
    expectError(await organization.call('get', '/seasons', apiKey), 40305);
  });

  it('gets 40101 before 40305, and 40305 before errors of the body or the team', async () => {
    const key = await keyWithScopes(['teams:read']);
    const send = (credential: string) =>
      organization.call('post', `/teams/${unknownId}/players?nonsense=1`, credential).set('Content-Type', 'text/plain');
    expectError(await send(key).send('x'.repeat(150_000)), 40305);
    expectInvalidKey(await send(`${key.slice(0, -1)}_`).send('Hawks'));
  });

  it('gets 40400 and 40500 like any other key', async () => {
    const key = await keyWithScopes(['teams:read']);
    expectError(await organization.call('get', '/nothing', key), 40400);
    expectError(await organization.call('delete', '/seasons', key), 40500);
  });

  it('gets 40305 before its body has been sent', async () => {
    const connection = await RawConnection.open(server.url);
    const head = `POST ${api}/teams HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: application/json\r\n`;
    connection.send(
      `${head}Content-Length: 100\r\nAuthorization: Bearer ${await keyWithScopes(['teams:read'])}\r\n\r\n`,
    );
    const response = await connection.response();
    expect([response.status, (JSON.parse(response.body) as { error: number }).error]).toEqual([403, 40305]);
  });
});

describe('a request without the required scope', () => {
  it('counts against the rate limit of its resource and returns the RateLimit headers', async () => {
    const limited = await RunningServer.start({ ...preload(cheapHashes), RATE_LIMIT_PER_MINUTE: '2' });
    try {
      const own = await createOrganization(limited);
      const { apiKey } = await createKey(limited, own.id, { scopes: ['teams:read'] });
      for (const left of ['1', '0']) {
        const rejected = await own.call('post', '/teams', apiKey).send({});
        expectError(rejected, 40305);
        expect(rejected.headers['ratelimit-limit']).toBe('2');
        expect(rejected.headers['ratelimit-remaining']).toBe(left);
        expect(rejected.headers['ratelimit-reset']).toMatch(/^([1-9]|[1-5]\d|60)$/);
      }
      expectError(await own.call('post', '/teams', apiKey).send({}), 42901);
      expectError(await own.call('get', '/teams', apiKey), 42901);
      expectError(await own.call('get', '/seasons', apiKey), 40305);
    } finally {
      await limited.stop();
    }
  });
});
