import { api, TestOrganization } from '../support/organization.js';
import { callWithToken, loginBothRoles } from '../support/admins.js';
import { RawConnection } from '../support/raw-http.js';
import { RunningServer } from '../support/server.js';

describe('access that ends while the request body is being received', () => {
  const server = RunningServer.forTests();
  const organization = TestOrganization.forTests(server, beforeEach);

  /** Sends a POST whose body stops half-way, runs an action, then sends the rest. */
  async function responseAfter(path: string, credential: string, body: object, act: () => Promise<unknown>) {
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

  it.each<[string, number, (id: string) => PromiseLike<unknown>]>([
    ['is revoked', 40101, (id) => server.asSuperAdmin('delete', `/api-keys/${id}`).expect(200)],
    [
      'loses the scope',
      40305,
      (id) =>
        server
          .asSuperAdmin('patch', `/api-keys/${id}`)
          .send({ scopes: ['teams:read'] })
          .expect(200),
    ],
  ])('rejects a key that %s with %i, and writes nothing', async (_what, error, change) => {
    const season = (await organization.season())._id;
    const { id, apiKey } = organization.key;
    const act = async () => change(id);
    const response = await responseAfter(`${api}/teams`, apiKey, { name: 'Hawks', season }, act);
    expect(response.status).toBe(Math.floor(error / 100));
    expect(JSON.parse(response.body)).toMatchObject({ error });
    expect(await (await server.database()).collection('teams').countDocuments({ season })).toBe(0);
  });

  it('returns 401 for a disabled admin', async () => {
    const { creator } = await loginBothRoles(organization);
    await callWithToken(server, creator, 'get', '/auth/me').expect(200);
    const disable = () =>
      server.asSuperAdmin('patch', `/users/${organization.creator._id}`).send({ disabled: true }).expect(200);
    const body = { currentPassword: organization.creator.password, newPassword: 'another long one' };
    const { status, body: rejection } = await responseAfter('/auth/password', creator, body, disable);
    expect([status, (JSON.parse(rejection) as { error: number }).error]).toEqual([401, 40102]);
  });
});
