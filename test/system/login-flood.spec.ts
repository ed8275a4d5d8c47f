import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { callWithToken } from '../support/admins.js';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { realHashes } from '../support/preload.js';
import { eventually } from '../support/processes.js';
import { RunningServer } from '../support/server.js';
import { testDatabaseUri } from '../support/test-database.js';

const home = '198.51.100.1';
const wrong = 'not the password';
/** More than fit into any queue, of argon2 and of the concurrency limit. */
const attackers = 300;

/** Logs in from an address. */
const loginTo = ({ url }: RunningServer, address: string, email: string, password: string): Promise<Response> =>
  fetch(`${url}/auth/login`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'X-Forwarded-For': address },
    body: JSON.stringify({ email, password }),
  });

describe('during a flood of wrong logins from many networks', () => {
  let server: RunningServer;
  let organization: TestOrganization;
  let isFlooding = true;
  let rejected = 0;
  let networks = 0;
  let flood: Promise<unknown>;

  async function attack(): Promise<void> {
    while (isFlooding) {
      const network = ++networks;
      const address = `2001:db8:${(network >> 16).toString(16)}:${(network & 0xffff).toString(16)}::1`;
      const response = await loginTo(server, address, `${randomUUID()}@example.com`, wrong);
      const { error } = (await response.json()) as { error: number };
      if (error !== 50302) continue;
      rejected++;
      // Waits for `Retry-After`; the queue stays full meanwhile.
      await sleep(1_000);
    }
  }

  const unknownNetworksAreRejected = async () => {
    const before = rejected;
    await eventually('unknown networks are rejected', () => rejected > before + 20);
  };

  /** At least 80 % get this status. */
  const expectStatuses = async (times: number, status: number, call: () => Promise<{ status: number }>) => {
    const statuses: number[] = [];
    for (let time = 0; time < times; time++) {
      await unknownNetworksAreRejected();
      statuses.push((await call()).status);
    }
    expect(statuses.filter((each) => each === status).length).toBeGreaterThanOrEqual(0.8 * times);
  };

  beforeAll(async () => {
    const environment = { ...realHashes, TRUST_PROXY: '1', MONGODB_URI: testDatabaseUri() };
    const before = await RunningServer.start(environment);
    server = before;
    organization = await createOrganization(before);
    const { email, password } = organization.creator;
    expect((await loginTo(server, home, email, password)).status).toBe(200);
    await before.end();
    // Known networks are stored.
    server = await RunningServer.start(environment);
    flood = Promise.all(Array.from({ length: attackers }, attack));
    await eventually('the flood has started', () => rejected > 100, 25);
  });

  afterAll(async () => {
    isFlooding = false;
    await flood;
    await server.stop();
  });

  it('an admin can rotate keys', async () => {
    const rotation = `/api-keys/${organization.key.id}/rotate`;
    await expectStatuses(5, 200, async () => server.asSuperAdmin('post', rotation).send({}));
  });

  it('a user can log in from a known network, before and after a restart', async () => {
    const { email, password } = organization.creator;
    await expectStatuses(5, 200, () => loginTo(server, home, email, password));
  });

  it('a user with a token can change the password', async () => {
    const { email, password } = organization.creator;
    const { accessToken } = (await (await loginTo(server, home, email, password)).json()) as { accessToken: string };
    const change = { currentPassword: password, newPassword: 'staple battery correct horse' };
    const changePassword = async () =>
      callWithToken(server, accessToken, 'post', '/auth/password').set('X-Forwarded-For', '203.0.113.9').send(change);
    await expectStatuses(1, 200, changePassword);
  });
});

/** Attackers beyond what 3 s of argon2 can check, so that a login that waits for its turn among theirs is rejected. */
const addresses = 600;

describe.each([
  { what: 'made-up emails', emailOf: () => `${randomUUID()}@example.com` },
  { what: "the admin's own email", emailOf: (own: string) => own },
])('during a flood of wrong logins from the same addresses, with $what', ({ emailOf }) => {
  // Few slots, so that wrong logins that wait for argon2 hold all of those for strangers.
  const variables = { ...realHashes, TRUST_PROXY: '1', MAX_REQUESTS_IN_FLIGHT: '32' };
  const homes = Array.from({ length: 5 }, (_, index) => `198.51.100.${index + 1}`);
  let server: RunningServer;
  let admin: TestOrganization['creator'];
  let isFlooding = true;
  let rejected = 0;
  let flood: Promise<unknown>;

  async function attack(_attacker: unknown, index: number): Promise<void> {
    while (isFlooding) {
      const response = await loginTo(server, `10.0.${index >> 8}.${index & 255}`, emailOf(admin.email), wrong);
      if (response.status === 503) rejected++;
      await response.arrayBuffer();
      await sleep(200);
    }
  }

  beforeAll(async () => {
    server = await RunningServer.start(variables);
    admin = (await createOrganization(server)).creator;
    for (const home of homes) expect((await loginTo(server, home, admin.email, admin.password)).status).toBe(200);
    flood = Promise.all(Array.from({ length: addresses }, attack));
    await eventually('the flood is beyond the limits', () => rejected > 100, 60);
  });

  afterAll(async () => {
    isFlooding = false;
    await flood;
    await server.stop();
  });

  it('lets in 16 of 20 valid logins from networks where the admin logged in before', async () => {
    const statuses: number[] = [];
    for (let time = 0; time < 20; time++) {
      const before = rejected;
      await eventually('others are rejected', () => rejected > before + 20);
      statuses.push((await loginTo(server, homes[time % homes.length] ?? '', admin.email, admin.password)).status);
    }
    expect(statuses.filter((status) => status === 200).length).toBeGreaterThanOrEqual(16);
  });
});
