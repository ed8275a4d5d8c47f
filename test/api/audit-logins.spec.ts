import { randomUUID } from 'node:crypto';
import { callWithToken, loginFrom, updateUser } from '../support/admins.js';
import { auditPage, countEventsOfRequest, eventsOfRequest, withRequestId } from '../support/audit.js';
import { createOrganization } from '../support/organization.js';
import { eventually } from '../support/processes.js';
import { RunningServer, superAdmin } from '../support/server.js';

describe('a login', () => {
  let server: RunningServer;

  beforeAll(async () => {
    server = await RunningServer.shared();
  });
  afterAll(() => server.stop());

  it('rejected for the email of a user is recorded with an anonymous actor, without the credentials', async () => {
    const { id, creator } = await createOrganization(server);
    const call = withRequestId(loginFrom(server, '127.0.0.9', creator.email, 'a wrong password'));
    await call.call.expect(401);
    await eventually('there is an event', async () => (await countEventsOfRequest(server, call.id)) === 1);
    const [event] = (await auditPage(server, `organizationId=${id}&limit=1`)).data;
    expect(event).toEqual({
      _id: expect.any(String) as string,
      at: expect.any(String) as string,
      action: 'login',
      outcome: 'refused',
      error: 40102,
      actor: { kind: 'stranger' },
      organizationId: id,
      target: { kind: 'user', _id: creator._id },
      address: '127.0.0.9',
      requestId: call.id,
    });
  });

  it('that succeeds is recorded with its user before the response', async () => {
    const { id, creator } = await createOrganization(server);
    const login = withRequestId(loginFrom(server, '127.0.0.12', creator.email, creator.password));
    await login.call.expect(200);
    expect(await countEventsOfRequest(server, login.id)).toBe(1);
    const [event] = (await auditPage(server, `organizationId=${id}&limit=1`)).data;
    expect(event).toEqual({
      _id: expect.any(String) as string,
      at: expect.any(String) as string,
      action: 'login',
      outcome: 'done',
      actor: { kind: 'user', _id: creator._id, email: creator.email, role: 'organizationCreator' },
      organizationId: id,
      target: { kind: 'user', _id: creator._id },
      address: '127.0.0.12',
      requestId: login.id,
    });
  });

  it('of a super admin is recorded without an organization', async () => {
    const login = withRequestId(loginFrom(server, '127.0.0.12', superAdmin.email, superAdmin.password));
    await login.call.expect(200);
    const [event] = await eventsOfRequest(server, login.id);
    expect(event).toMatchObject({ action: 'login', outcome: 'done', actor: { role: 'superAdmin' } });
    expect(event).not.toHaveProperty('organizationId');
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

  it('rejected for an unknown email is not recorded', async () => {
    const { creator } = await createOrganization(server);
    const unknown = withRequestId(loginFrom(server, '127.0.0.10', `${randomUUID()}@example.com`, 'a wrong password'));
    await unknown.call.expect(401);
    // The later login is recorded; a record of the first one would be stored by then.
    const wrong = withRequestId(loginFrom(server, '127.0.0.10', creator.email, 'a wrong password'));
    await wrong.call.expect(401);
    await eventually('there is an event', async () => (await countEventsOfRequest(server, wrong.id)) === 1);
    expect(await countEventsOfRequest(server, unknown.id)).toBe(0);
  });

  it('that succeeds is logged with the user and the address', async () => {
    await loginFrom(server, '127.0.0.11', superAdmin.email, superAdmin.password).expect(200);
    const line = () =>
      server.log.split('\n').find((each) => each.includes('"Logged in"') && each.includes('127.0.0.11'));
    await eventually('the login is logged', () => line() !== undefined);
    expect(JSON.parse(line() ?? '{}')).toMatchObject({ userId: expect.stringMatching(/^[0-9a-f]{24}$/) as string });
  });
});
