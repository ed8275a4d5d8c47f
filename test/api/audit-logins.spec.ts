import { callWithToken, loginFrom, updateUser } from '../support/admins.js';
import { auditPage, countEventsOfRequest, withRequestId } from '../support/audit.js';
import { unknownId } from '../support/http-routes.js';
import { createOrganization } from '../support/organization.js';
import { eventually } from '../support/processes.js';
import { type Method, RunningServer } from '../support/server.js';

describe('a login or request', () => {
  const server = RunningServer.forTests();

  it.each(['failure', 'success'] as const)('is recorded as a %s, without the credentials', async (outcome) => {
    const { id, creator } = await createOrganization(server);
    const password = outcome === 'success' ? creator.password : 'a wrong password';
    const login = withRequestId(loginFrom(server, '127.0.0.9', creator.email, password));
    expect((await login.call).status).toBe(outcome === 'success' ? 200 : 401);
    // A success is recorded before the response.
    if (outcome === 'success') expect(await countEventsOfRequest(server, login.id)).toBe(1);
    await eventually('there is an event', async () => (await countEventsOfRequest(server, login.id)) === 1);
    const [event] = (await auditPage(server, `organizationId=${id}&limit=1`)).data;
    const user = { kind: 'user', _id: creator._id, email: creator.email, role: 'organizationCreator' };
    expect(event).toEqual({
      _id: expect.any(String) as string,
      at: expect.any(String) as string,
      action: 'login',
      outcome,
      ...(outcome === 'success' ? { actor: user } : { actor: { kind: 'anonymous' }, error: 40102 }),
      organizationId: id,
      organizationName: 'Bay Area Flag Football',
      target: { kind: 'user', _id: creator._id, name: creator.email },
      address: '127.0.0.9',
      requestId: login.id,
    });
  });

  it('returns no networks of earlier logins, and neither does any response with the user', async () => {
    const { id, creator } = await createOrganization(server);
    const token = await server.login(creator.email, creator.password);
    const stored = await (await server.database()).collection('users').findOne({ email: creator.email });
    expect(stored?.['recentLogins']).toEqual([{ network: '127.0.0.1', at: expect.any(Date) as Date }]);
    const responses = await Promise.all([
      loginFrom(server, '127.0.0.13', creator.email, creator.password),
      callWithToken(server, token, 'get', '/auth/me'),
      server.asSuperAdmin('get', `/organizations/${id}/users`),
      updateUser(server, creator._id, { name: 'Dana Reyes-Ito' }),
      server.asSuperAdmin('get', `/audit-events?organizationId=${id}`),
    ]);
    expect(responses.map(({ status }) => status)).toEqual(Array(5).fill(200));
    for (const { text } of responses) expect(text).not.toMatch(/recentLogins|"network"/);
  });

  it.each<[Method, string, string, number]>([
    ['get', '/organizations', 'listOrganizations', 40303],
    ['put', `/schedules/${unknownId}/player-statistics`, 'replacePlayerStatistics', 40001],
  ])('that is rejected (%s %s) is logged with operation, user and error, and not audited', async (...given) => {
    const [method, path, operation, error] = given;
    const { creator } = await createOrganization(server);
    const token = await server.login(creator.email, creator.password);
    const { call, id } = withRequestId(callWithToken(server, token, method, path));
    expect((await call).body).toMatchObject({ error });
    const lines = () => server.log.split('\n').filter((line) => line.includes(id));
    await eventually('the request is logged', () => lines().length > 0);
    expect(lines().map((line) => JSON.parse(line) as unknown)).toMatchObject([
      { msg: 'request completed', requestId: id, operation, error, userId: creator._id },
    ]);
    expect(await countEventsOfRequest(server, id)).toBe(0);
  });
});
