import { randomUUID } from 'node:crypto';
import { callWithToken } from '../support/admins.js';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { eventually } from '../support/processes.js';
import { RunningServer } from '../support/server.js';
import { testDatabaseUri } from '../support/test-database.js';

const home = '198.51.100.1';
const wrong = 'not the password';
/** More than may wait for argon2, whichever queue they wait in. */
const attackers = 150;

describe('while strangers from very many networks try passwords', () => {
  let server: RunningServer;
  let organization: TestOrganization;
  let isFlooding = true;
  let refused = 0;
  let networks = 0;
  let flood: Promise<unknown>;

  const login = (address: string, email: string, password: string): Promise<Response> =>
    fetch(`${server.url}/auth/login`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'X-Forwarded-For': address },
      body: JSON.stringify({ email, password }),
    });

  async function attack(): Promise<void> {
    while (isFlooding) {
      const network = ++networks;
      const address = `2001:db8:${(network >> 16).toString(16)}:${(network & 0xffff).toString(16)}::1`;
      const answer = await login(address, `${randomUUID()}@example.com`, wrong);
      const { error } = (await answer.json()) as { error: number };
      if (error !== 50302) continue;
      refused++;
      // As `Retry-After` says. Those that wait meanwhile keep the queue full.
      await new Promise((resolve) => setTimeout(resolve, 1_000));
    }
  }

  const strangersAreRefused = async () => {
    const before = refused;
    await eventually('strangers are refused', () => refused > before + 20);
  };

  const isAnswered = async (times: number, status: number, call: () => Promise<{ status: number }>) => {
    const statuses: number[] = [];
    for (let time = 0; time < times; time++) {
      await strangersAreRefused();
      statuses.push((await call()).status);
    }
    expect(statuses).toEqual(Array(times).fill(status));
  };

  beforeAll(async () => {
    // Overload control lets all of them in: what is left to refuse them are the queues.
    const environment = { TRUST_PROXY: '1', MAX_REQUESTS_IN_FLIGHT: '100000', MONGODB_URI: testDatabaseUri() };
    const before = await RunningServer.start(environment);
    server = before;
    organization = await createOrganization(before);
    const { email, password } = organization.creator;
    expect((await login(home, email, password)).status).toBe(200);
    await before.end();
    // What a server knows of networks outlives it.
    server = await RunningServer.start(environment);
    flood = Promise.all(Array.from({ length: attackers }, attack));
    await eventually('the flood is under way', () => refused > 300, 25);
  });

  afterAll(async () => {
    isFlooding = false;
    await flood;
    await server.stop();
  });

  it('an admin rotates keys', async () => {
    const rotation = `/api-keys/${organization.key.id}/rotate`;
    await isAnswered(5, 200, async () => server.asSuperAdmin('post', rotation).send({}));
  });

  it('an admin creates keys', async () => {
    const key = { name: 'ERP', organizationId: organization.id };
    await isAnswered(5, 201, async () => server.asSuperAdmin('post', '/api-keys').send(key));
  });

  it('a user logs in from a known network, before and after a restart', async () => {
    const { email, password } = organization.creator;
    await isAnswered(5, 200, () => login(home, email, password));
  });

  it('a user with a token changes the password', async () => {
    const { email, password } = organization.creator;
    const { accessToken } = (await (await login(home, email, password)).json()) as { accessToken: string };
    const change = { currentPassword: password, newPassword: 'staple battery correct horse' };
    const changePassword = async () =>
      callWithToken(server, accessToken, 'post', '/auth/password').set('X-Forwarded-For', '203.0.113.9').send(change);
    await isAnswered(1, 200, changePassword);
  });
});
