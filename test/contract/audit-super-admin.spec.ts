import type request from 'supertest';
import { type AuditEvent, refusedEvent } from '../support/audit.js';
import { nobody } from '../support/http-routes.js';
import { aKey, anOrganization, type TestOrganization } from '../support/organization.js';
import { type Method, RunningServer, superAdmin } from '../support/server.js';

let server: RunningServer;
let organization: TestOrganization;
let other: TestOrganization;

beforeAll(async () => {
  server = await RunningServer.start();
  organization = await anOrganization(server);
  other = await anOrganization(server);
});
afterAll(() => server.stop());

/** A request of the super admin; a text is sent as it is. */
function requestOf(method: Method, path: string, body?: object | string): request.Test {
  const call = server.asSuperAdmin(method, path);
  return body === undefined ? call : call.set('Content-Type', 'application/json').send(body);
}

const actor = { kind: 'user', email: superAdmin.email, role: 'superAdmin' };
const user = '{"name":"A","email":"a@example.com","password":"long enough"}';

describe('an act that a super admin is refused', () => {
  const password = 'a secret that nobody may read';

  /** `<other>` stands for an organization's id, `<nobody>` for an id that no record has. */
  const named = (text: string) => text.replace('<other>', other.id).replaceAll('<nobody>', nobody);

  it.each<[number, string, Method, string, string?]>([
    [40001, 'createApiKey', 'post', '/api-keys', '{"organizationId":"7"}'],
    [40000, 'createApiKey', 'post', '/api-keys', '{'],
    [41300, 'createApiKey', 'post', '/api-keys', `{"name":"${'x'.repeat(200_000)}"}`],
    [40001, 'listApiKeys', 'get', '/api-keys'],
    [40001, 'listApiKeys', 'get', '/api-keys?organizationId=7'],
    [40001, 'listApiKeys', 'get', '/api-keys?organizationId=<nobody>&organizationId=<nobody>'],
    [40001, 'revokeApiKey', 'delete', '/api-keys/no-id'],
    [40001, 'createSeason', 'post', '/seasons', '{"name":"A"}'],
    [40001, 'getMe', 'get', '/auth/me?verbose=1'],
  ])('%d of %s leaves one event, which names nothing where nothing is named: %s %s', async (...row) => {
    const [error, action, method, path, body] = row;
    const event = await refusedEvent(server, requestOf(method, named(path), body), error);
    expect(event).toMatchObject({ action, outcome: 'refused', error, actor });
    expect(Object.keys(event)).not.toEqual(expect.arrayContaining(['organizationId']));
    expect(Object.keys(event)).not.toEqual(expect.arrayContaining(['target']));
  });

  it.each<[number, string, Method, string, string?]>([
    [40001, 'createApiKey', 'post', '/api-keys', '{"organizationId":"<other>"}'],
    [40001, 'listAuditEvents', 'get', '/audit-events?cursor=x&organizationId=<other>'],
    [40001, 'createOrganizationAdmin', 'post', '/organizations/<other>/users', '{}'],
  ])('%d of %s leaves one event, of the organization that is named: %s %s', async (...row) => {
    const [error, action, method, path, body] = row;
    const event = await refusedEvent(server, requestOf(method, named(path), body && named(body)), error);
    expect(event).toMatchObject({ action, outcome: 'refused', error, actor, organizationId: other.id });
  });

  it.each<[number, string, Method, string, string?]>([
    [40406, 'createApiKey', 'post', '/api-keys', '{"name":"A","organizationId":"<nobody>"}'],
    [40406, 'listApiKeys', 'get', `/api-keys?organizationId=${nobody.toUpperCase()}`],
    [40406, 'createOrganizationAdmin', 'post', '/organizations/<nobody>/users', user],
  ])('%d of %s leaves one event, also where nobody knows the organization: %s %s', async (...row) => {
    const [error, action, method, path, body] = row;
    const event = await refusedEvent(server, requestOf(method, named(path), body && named(body)), error);
    expect(event).toMatchObject({ action, outcome: 'refused', error, actor, organizationId: nobody });
  });

  it.each<[number, string, Method, string, AuditEvent['target']]>([
    [40405, 'revokeApiKey', 'delete', '/api-keys/<nobody>', { kind: 'apiKey', _id: nobody }],
    [40405, 'rotateApiKey', 'post', '/api-keys/<nobody>/rotate', { kind: 'apiKey', _id: nobody }],
    [40001, 'createOrganizationAdmin', 'post', '/organizations/<nobody>/users', { kind: 'organization', _id: nobody }],
    [
      40001,
      'replacePlayerStatistics',
      'put',
      '/schedules/<nobody>/player-statistics',
      { kind: 'schedule', _id: nobody },
    ],
  ])('%d of %s leaves one event, on what the path names: %s %s', async (error, action, method, path, target) => {
    const event = await refusedEvent(server, requestOf(method, named(path)), error);
    expect(event).toMatchObject({ action, outcome: 'refused', error, actor, target });
  });

  it('leaves one event where the email is taken, with nothing of the body', async () => {
    const creator = { name: 'Nobody Knows', email: organization.creator.email, password };
    const event = await refusedEvent(
      server,
      requestOf('post', '/organizations', { name: 'Unheard Of', creator }),
      40901,
    );
    expect(event).toMatchObject({ action: 'createOrganization', error: 40901 });
    const stored = await (
      await server.database()
    )
      .collection('auditEvents')
      .findOne({ requestId: String(event.requestId) });
    for (const text of [password, creator.name, creator.email, 'Unheard Of']) {
      expect(JSON.stringify(stored)).not.toContain(text);
    }
  });

  it('leaves one event where the key is revoked', async () => {
    const key = await aKey(server, organization.id);
    await server.asSuperAdmin('delete', `/api-keys/${key.id}`).expect(200);
    const event = await refusedEvent(server, requestOf('post', `/api-keys/${key.id}/rotate`), 40903);
    expect(event).toMatchObject({ action: 'rotateApiKey', target: { kind: 'apiKey', _id: key.id } });
  });
});
