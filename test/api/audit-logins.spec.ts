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

  it('that is refused for the email of a user leaves one event of a stranger, without what was presented', async () => {
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

  it('that is good leaves one event of its user, which is there before the answer', async () => {
    const { id, creator } = await createOrganization(server);
    const good = withRequestId(loginFrom(server, '127.0.0.12', creator.email, creator.password));
    await good.call.expect(200);
    expect(await countEventsOfRequest(server, good.id)).toBe(1);
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
      requestId: good.id,
    });
  });

  it('of a super admin leaves an event without an organization', async () => {
    const good = withRequestId(loginFrom(server, '127.0.0.12', superAdmin.email, superAdmin.password));
    await good.call.expect(200);
    const [event] = await eventsOfRequest(server, good.id);
    expect(event).toMatchObject({ action: 'login', outcome: 'done', actor: { role: 'superAdmin' } });
    expect(event).not.toHaveProperty('organizationId');
  });

  it('is answered without the networks of earlier logins, and so is whatever tells of the user', async () => {
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

  it('that is refused for an email of nobody leaves none', async () => {
    const { creator } = await createOrganization(server);
    const unknown = withRequestId(loginFrom(server, '127.0.0.10', `${randomUUID()}@example.com`, 'a wrong password'));
    await unknown.call.expect(401);
    // What a refusal after it leaves is there: its own would be, too.
    const wrong = withRequestId(loginFrom(server, '127.0.0.10', creator.email, 'a wrong password'));
    await wrong.call.expect(401);
    await eventually('there is an event', async () => (await countEventsOfRequest(server, wrong.id)) === 1);
    expect(await countEventsOfRequest(server, unknown.id)).toBe(0);
  });

  it('that is good is told in the log, with the user and the address', async () => {
    await loginFrom(server, '127.0.0.11', superAdmin.email, superAdmin.password).expect(200);
    const told = () =>
      server.log.split('\n').find((each) => each.includes('"Logged in"') && each.includes('127.0.0.11'));
    await eventually('it is told', () => told() !== undefined);
    expect(JSON.parse(told() ?? '{}')).toMatchObject({ userId: expect.stringMatching(/^[0-9a-f]{24}$/) as string });
  });
});
