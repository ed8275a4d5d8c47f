import { createOrganization, api, type TestOrganization } from '../support/organization.js';
import { callWithToken, loginBothRoles } from '../support/admins.js';
import { RawConnection } from '../support/raw-http.js';
import { RunningServer } from '../support/server.js';

describe('access that ends while the body of a request is on its way', () => {
  let server: RunningServer;
  let organization: TestOrganization;

  beforeAll(async () => {
    server = await RunningServer.shared();
  });
  afterAll(() => server.stop());
  beforeEach(async () => {
    organization = await createOrganization(server);
  });

  /** Sends a POST whose body stops half way, and the rest of it after something was done. */
  async function answerAfter(path: string, credential: string, body: object, act: () => Promise<unknown>) {
    const text = JSON.stringify(body);
    const connection = await RawConnection.open(server.url);
    const head = [
      `POST ${path} HTTP/1.1`,
      'Host: test',
      `Authorization: Bearer ${credential}`,
      'Content-Type: application/json',
      `Content-Length: ${text.length}`,
      'Connection: close',
    ];
    connection.send(`${head.join('\r\n')}\r\n\r\n${text.slice(0, 5)}`);
    await new Promise((resolve) => setTimeout(resolve, 500));
    await act();
    connection.send(text.slice(5));
    return connection.response();
  }

  it('is refused for a revoked key, and nothing is written', async () => {
    const season = await organization.season();
    const { key } = organization;
    const revoke = () => server.asSuperAdmin('delete', `/api-keys/${key.id}`).expect(200);
    const body = { name: 'Hawks', season: season._id };
    const { status, body: refusal } = await answerAfter(`${api}/teams`, key.apiKey, body, revoke);
    expect([status, (JSON.parse(refusal) as { error: number }).error]).toEqual([401, 40101]);
    const teams = (await server.database()).collection('teams');
    expect(await teams.countDocuments({ season: season._id })).toBe(0);
  });

  it('goes on for a key that is still good', async () => {
    const season = await organization.season();
    const body = { name: 'Hawks', season: season._id };
    const nothing = () => Promise.resolve();
    expect((await answerAfter(`${api}/teams`, organization.key.apiKey, body, nothing)).status).toBe(201);
  });

  it('is refused for an admin who was disabled', async () => {
    const { creator } = await loginBothRoles(organization);
    await callWithToken(server, creator, 'get', '/auth/me').expect(200);
    const disable = () =>
      server.asSuperAdmin('patch', `/users/${organization.creator._id}`).send({ disabled: true }).expect(200);
    const body = { currentPassword: organization.creator.password, newPassword: 'another long one' };
    const { status, body: refusal } = await answerAfter('/auth/password', creator, body, disable);
    expect([status, (JSON.parse(refusal) as { error: number }).error]).toEqual([401, 40102]);
  });
});
