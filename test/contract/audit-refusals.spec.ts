import { Agent } from 'node:http';
import { callWithToken, tokensOf } from '../support/admins.js';
import { auditPage, countOf, eventsOf, refusedEvent, traced } from '../support/audit.js';
import { expectRefusal, type Refusal } from '../support/expectations.js';
import { nobody } from '../support/http-routes.js';
import { anOrganization, type TestOrganization } from '../support/organization.js';
import { type Method, RunningServer } from '../support/server.js';

interface Operation {
  operationId: string;
  security: object[];
  requestBody?: unknown;
  parameters?: { name: string; in: string; example?: string }[];
}
interface AdminDocument {
  paths: Record<string, Record<string, Operation>>;
}

let server: RunningServer;
let organization: TestOrganization;
let other: TestOrganization;
let tokens: { creator: string; admin: string };

beforeAll(async () => {
  server = await RunningServer.start();
  organization = await anOrganization(server);
  other = await anOrganization(server);
  tokens = await tokensOf(organization);
});
afterAll(() => server.stop());

/** What an admin of an organization is in the audit. */
async function actorOf(token: string) {
  const { data } = (await callWithToken(server, token, 'get', '/auth/me').expect(200)).body as {
    data: { _id: string; email: string; role: string };
  };
  return { kind: 'user', _id: data._id, email: data.email, role: data.role };
}

describe('an act that a role is refused', () => {
  const superAdminOnly = [
    ...['createOrganization', 'listOrganizations', 'createOrganizationAdmin', 'createSeason', 'listAllSeasons'],
    ...['createApiKey', 'listApiKeys', 'revokeApiKey', 'rotateApiKey', 'endGracePeriod', 'listAuditEvents'],
  ];

  it.each(['creator', 'admin'] as const)(
    'leaves one event of the %s, whichever operation of the admin document it is',
    async (role) => {
      const actor = await actorOf(tokens[role]);
      const { paths } = (await server.call('get', '/admin/openapi.json').expect(200)).body as AdminDocument;
      const byRole: string[] = [];
      for (const [path, operations] of Object.entries(paths)) {
        for (const [method, { operationId, security, parameters, requestBody }] of Object.entries(operations)) {
          if (!security.some((scheme) => 'adminToken' in scheme)) continue;
          const filled = path.replace(/\{(\w+)\}/g, (_all, name) => {
            const parameter = parameters?.find((one) => one.in === 'path' && one.name === name);
            return parameter?.example ?? nobody;
          });
          const { call, id } = traced(callWithToken(server, tokens[role], method as Method, filled));
          const answer = await (requestBody === undefined ? call : call.send({}));
          const { error } = answer.body as Refusal;
          const event = { action: operationId, error, actor, address: '127.0.0.1', requestId: id };
          const expected = answer.status < 400 ? [] : [expect.objectContaining(event) as unknown];
          const events = (await eventsOf(server, id)).filter(({ outcome }) => outcome === 'refused');
          expect({ operationId, events }).toEqual({ operationId, events: expected });
          if (error === 40303) byRole.push(operationId);
        }
      }
      expect(byRole).toEqual(expect.arrayContaining(superAdminOnly));
    },
  );

  it.each<[string, Method, () => string, object]>([
    ['its own key', 'delete', () => `/api-keys/${organization.key.id}`, { action: 'revokeApiKey' }],
    ['a key of others', 'post', () => `/api-keys/${other.key.id}/rotate`, { action: 'rotateApiKey' }],
  ])('names %s as its target, and the organization that it belongs to', async (what, method, path, expected) => {
    const event = await refusedEvent(server, callWithToken(server, tokens.admin, method, path()), 40303);
    expect(event).toMatchObject({
      ...expected,
      target: { kind: 'apiKey', _id: path().split('/')[2] },
      organizationId: what === 'its own key' ? organization.id : other.id,
    });
  });

  it('names the organization of a foreign user', async () => {
    const path = `/users/${other.creator._id}`;
    const call = callWithToken(server, tokens.admin, 'patch', path).send({ disabled: true });
    expect(await refusedEvent(server, call, 40303)).toMatchObject({ organizationId: other.id, action: 'updateUser' });
  });

  it("is the other organization's where it is a look at its keys", async () => {
    const event = await refusedEvent(
      server,
      callWithToken(server, tokens.creator, 'get', `/api-keys?organizationId=${other.id}`),
      40303,
    );
    expect(event).toMatchObject({ action: 'listApiKeys', organizationId: other.id });
    expect(event).not.toHaveProperty('target');
    const idsIn = async (id: string) => (await auditPage(server, `organizationId=${id}`)).data.map(({ _id }) => _id);
    expect(await idsIn(other.id)).toContain(event._id);
    expect(await idsIn(organization.id)).not.toContain(event._id);
  });

  it('is the organization’s that its path names', async () => {
    const event = await refusedEvent(
      server,
      callWithToken(server, tokens.creator, 'post', `/organizations/${other.id}/users`).send({}),
      40303,
    );
    expect(event).toMatchObject({
      action: 'createOrganizationAdmin',
      organizationId: other.id,
      target: { kind: 'organization', _id: other.id },
    });
  });

  it('leaves an event for HEAD as for GET', async () => {
    const { call, id } = traced(callWithToken(server, tokens.admin, 'head', '/organizations'));
    await call.expect(403);
    expect(await eventsOf(server, id)).toMatchObject([{ action: 'listOrganizations', error: 40303 }]);
  });

  it('leaves an event each where many are refused at once', async () => {
    const calls = Array.from({ length: 20 }, () => traced(callWithToken(server, tokens.admin, 'get', '/seasons')));
    await Promise.all(calls.map(({ call }) => call.expect(403)));
    for (const { id } of calls) expect(await countOf(server, id)).toBe(1);
  });
});

describe('the writing of statistics that is refused', () => {
  it('leaves one event on the schedule, of the organization that it belongs to', async () => {
    const schedule = await other.schedule((await other.team())._id);
    const path = `/schedules/${schedule._id}/player-statistics`;
    const event = await refusedEvent(
      server,
      callWithToken(server, tokens.creator, 'put', path).send({ rows: [] }),
      40303,
    );
    const target = { kind: 'schedule', _id: schedule._id };
    expect(event).toMatchObject({ action: 'replacePlayerStatistics', target, organizationId: other.id });
  });
});

describe('the event of a refusal', () => {
  it("has the request's id also where the server gave it, and the client's address as the server believes it", async () => {
    const call = callWithToken(server, tokens.admin, 'get', '/organizations').agent(
      new Agent({ localAddress: '127.0.0.7' }),
    );
    const answer = await call.set('X-Forwarded-For', '203.0.113.7').set('X-Request-Id', 'no good');
    const requestId = expectRefusal(answer, 40303).traceId;
    expect(await eventsOf(server, requestId)).toMatchObject([{ requestId, address: '127.0.0.7' }]);
  });

  it('is of the moment of the refusal', async () => {
    const begun = Date.now();
    const event = await refusedEvent(server, callWithToken(server, tokens.admin, 'get', '/seasons'), 40303);
    const at = Date.parse(event.at);
    expect(at >= begun && at <= Date.now()).toBe(true);
  });
});
