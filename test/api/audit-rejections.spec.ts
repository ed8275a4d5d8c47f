import { callWithToken, tokensOf } from '../support/admins.js';
import { countOf, traced } from '../support/audit.js';
import { nobody } from '../support/http-routes.js';
import { anOrganization, type TestOrganization } from '../support/organization.js';
import { eventually } from '../support/processes.js';
import { type Method, RunningServer } from '../support/server.js';

describe('a rejected request of an admin', () => {
  let server: RunningServer;
  let organization: TestOrganization;
  let creator: string;

  beforeAll(async () => {
    server = await RunningServer.shared();
    organization = await anOrganization(server);
    ({ creator } = await tokensOf(organization));
  });
  afterAll(() => server.stop());

  it.each<[Method, string, string, number]>([
    ['get', '/organizations', 'listOrganizations', 40303],
    ['delete', `/api-keys/${nobody}`, 'revokeApiKey', 40303],
    ['put', `/schedules/${nobody}/player-statistics`, 'replacePlayerStatistics', 40001],
  ])(
    'is in the log with operation, user and error, and not in the audit: %s %s',
    async (method, path, operation, error) => {
      const { call, id } = traced(callWithToken(server, creator, method, path));
      expect((await call).body).toMatchObject({ error });
      const lines = () => server.log.split('\n').filter((line) => line.includes(id));
      await eventually('the request is logged', () => lines().length > 0);
      expect(lines().map((line) => JSON.parse(line) as unknown)).toMatchObject([
        { msg: 'request', requestId: id, operation, error, userId: organization.creator._id },
      ]);
      expect(await countOf(server, id)).toBe(0);
    },
  );
});
