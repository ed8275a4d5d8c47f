import { randomUUID } from 'node:crypto';
import { loginFrom } from '../support/admins.js';
import { auditPage, countOf, traced } from '../support/audit.js';
import { anOrganization } from '../support/organization.js';
import { eventually } from '../support/processes.js';
import { RunningServer, superAdmin } from '../support/server.js';

describe('a login', () => {
  let server: RunningServer;

  beforeAll(async () => {
    server = await RunningServer.start();
  });
  afterAll(() => server.stop());

  it('that is refused for the email of a user leaves one event of a stranger, without what was presented', async () => {
    const { id, creator } = await anOrganization(server);
    const call = traced(loginFrom(server, '127.0.0.9', creator.email, 'a wrong password'));
    await call.call.expect(401);
    await eventually('there is an event', async () => (await countOf(server, call.id)) === 1);
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

  it('that is refused for an email of nobody, or that is good, leaves none', async () => {
    const { creator } = await anOrganization(server);
    const unknown = traced(loginFrom(server, '127.0.0.10', `${randomUUID()}@example.com`, 'a wrong password'));
    await unknown.call.expect(401);
    const good = traced(loginFrom(server, '127.0.0.10', creator.email, creator.password));
    await good.call.expect(200);
    // What a refusal after them leaves is there: theirs would be, too.
    const wrong = traced(loginFrom(server, '127.0.0.10', creator.email, 'a wrong password'));
    await wrong.call.expect(401);
    await eventually('there is an event', async () => (await countOf(server, wrong.id)) === 1);
    expect([await countOf(server, unknown.id), await countOf(server, good.id)]).toEqual([0, 0]);
  });

  it('that is good is told in the log, with the user and the address', async () => {
    await loginFrom(server, '127.0.0.11', superAdmin.email, superAdmin.password).expect(200);
    const told = () =>
      server.log.split('\n').find((each) => each.includes('"Logged in"') && each.includes('127.0.0.11'));
    await eventually('it is told', () => told() !== undefined);
    expect(JSON.parse(told() ?? '{}')).toMatchObject({ userId: expect.stringMatching(/^[0-9a-f]{24}$/) as string });
  });
});
