import { callWithToken, loginBothRoles } from '../support/admins.js';
import { countEventsOfRequest, withRequestId } from '../support/audit.js';
import { unknownId } from '../support/http-routes.js';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { eventually } from '../support/processes.js';
import { type Method, RunningServer } from '../support/server.js';

describe('a rejected request of an admin', () => {
  let server: RunningServer;
  let organization: TestOrganization;
  let creator: string;

  beforeAll(async () => {
    server = await RunningServer.shared();
    organization = await createOrganization(server);
    ({ creator } = await loginBothRoles(organization));
  });
  afterAll(() => server.stop());

  it.each<[Method, string, string, number]>([
    ['get', '/organizations', 'listOrganizations', 40303],
    ['delete', `/api-keys/${unknownId}`, 'revokeApiKey', 40303],
    ['put', `/schedules/${unknownId}/player-statistics`, 'replacePlayerStatistics', 40001],
  ])('is logged with operation, user and error, and not audited: %s %s', async (method, path, operation, error) => {
    const { call, id } = withRequestId(callWithToken(server, creator, method, path));
    expect((await call).body).toMatchObject({ error });
    const lines = () => server.log.split('\n').filter((line) => line.includes(id));
    await eventually('the request is logged', () => lines().length > 0);
    expect(lines().map((line) => JSON.parse(line) as unknown)).toMatchObject([
      { msg: 'request', requestId: id, operation, error, userId: organization.creator._id },
    ]);
    expect(await countEventsOfRequest(server, id)).toBe(0);
  });
});
