import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { realHashes } from '../support/preload.js';
import { eventually } from '../support/processes.js';
import { RunningServer } from '../support/server.js';

const wrong = 'not the password';

/** Logs in from an address. */
const loginTo = ({ url }: RunningServer, address: string, email: string, password: string): Promise<Response> =>
  fetch(`${url}/auth/login`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'X-Forwarded-For': address },
    body: JSON.stringify({ email, password }),
  });

/** Attackers beyond what 3 s of argon2 can check, so that a login that waits for its turn among theirs is rejected. */
const addresses = 600;

// Few slots, so that wrong logins that wait for argon2 hold all of those for strangers.
const server = RunningServer.forTests({ ...realHashes, TRUST_PROXY: '1', MAX_REQUESTS_IN_FLIGHT: '32' });

describe("during a flood of wrong logins from the same addresses, with made-up emails and the admin's own one", () => {
  const homes = Array.from({ length: 5 }, (_, index) => `198.51.100.${index + 1}`);
  let admin: TestOrganization['creator'];
  let isFlooding = true;
  let rejected = 0;
  let flood: Promise<unknown>;

  async function attack(_attacker: unknown, index: number): Promise<void> {
    while (isFlooding) {
      const email = index % 2 === 0 ? admin.email : `${randomUUID()}@example.com`;
      const response = await loginTo(server, `10.0.${index >> 8}.${index & 255}`, email, wrong);
      if (response.status === 503) rejected++;
      await response.arrayBuffer();
      await sleep(200);
    }
  }

  beforeAll(async () => {
    admin = (await createOrganization(server)).creator;
    for (const home of homes) expect((await loginTo(server, home, admin.email, admin.password)).status).toBe(200);
    flood = Promise.all(Array.from({ length: addresses }, attack));
    await eventually('the flood is beyond the limits', () => rejected > 100, 60);
  });

  afterAll(async () => {
    isFlooding = false;
    await flood;
  });

  it('lets in 8 of 10 valid logins from networks where the admin logged in before', async () => {
    const statuses: number[] = [];
    for (let time = 0; time < 10; time++) {
      const before = rejected;
      await eventually('others are rejected', () => rejected > before + 20);
      statuses.push((await loginTo(server, homes[time % homes.length] ?? '', admin.email, admin.password)).status);
    }
    expect(statuses.filter((status) => status === 200).length).toBeGreaterThanOrEqual(8);
  });
});
