import { randomUUID } from 'node:crypto';
import type { Response } from 'supertest';
import { loginFrom } from '../support/admins.js';
import { expectError } from '../support/expectations.js';
import { freshAddress } from '../support/fresh-address.js';
import { createOrganization } from '../support/organization.js';
import { RunningServer } from '../support/server.js';

const quarterOfAnHour = 900;
const wrong = 'not the password';

let server: RunningServer;

beforeAll(async () => {
  server = await RunningServer.start();
});

afterAll(() => server.stop());

async function aUser(): Promise<{ email: string; password: string }> {
  return (await createOrganization(server)).creator;
}

async function fail(times: number, address: string, emailOf: (attempt: number) => string): Promise<void> {
  for (let attempt = 0; attempt < times; attempt++) {
    expectError(await loginFrom(server, address, emailOf(attempt), wrong), 40102);
  }
}

function expectLimited(response: Response): void {
  expectError(response, 42902);
  expect(response.headers['retry-after']).toMatch(/^\d+$/);
  const wait = Number(response.headers['retry-after']);
  expect(wait).toBeGreaterThan(quarterOfAnHour - 60);
  expect(wait).toBeLessThanOrEqual(quarterOfAnHour);
}

describe('failed logins', () => {
  it('are rejected after ten for one email from one address, even with the correct password', async () => {
    const { email, password } = await aUser();
    const address = freshAddress();
    await fail(10, address, () => email);

    expectLimited(await loginFrom(server, address, email, wrong));
    expectLimited(await loginFrom(server, address, email, password));
  });

  it('are not counted while rejected, so one email does not lock out its whole address', async () => {
    const [blocked, other] = [await aUser(), await aUser()];
    const address = freshAddress();
    await fail(10, address, () => blocked.email);
    for (let attempt = 0; attempt < 30; attempt++)
      expectLimited(await loginFrom(server, address, blocked.email, wrong));

    expect((await loginFrom(server, address, other.email, other.password)).status).toBe(200);
  });

  it('count together for all letter cases of an email', async () => {
    const { email } = await aUser();
    const address = freshAddress();
    await fail(10, address, (attempt) => (attempt % 2 === 0 ? email : ` ${email.toUpperCase()}`));

    expectLimited(await loginFrom(server, address, email, wrong));
  });

  it('are limited equally for an unknown email, so that the limit reveals nothing', async () => {
    const address = freshAddress();
    const email = `${randomUUID()}@example.com`;
    await fail(10, address, () => email);

    expectLimited(await loginFrom(server, address, email, wrong));
  });

  it('from one address do not block the correct password from elsewhere', async () => {
    const { email, password } = await aUser();
    const address = freshAddress();
    await fail(10, address, () => email);
    expectLimited(await loginFrom(server, address, email, password));

    expect((await loginFrom(server, freshAddress(), email, password)).status).toBe(200);
  });

  it('for one email do not block another email at the same address', async () => {
    const { email } = await aUser();
    const neighbour = await aUser();
    const address = freshAddress();
    await fail(10, address, () => email);

    expect((await loginFrom(server, address, neighbour.email, neighbour.password)).status).toBe(200);
  });

  it('are rejected after 30 from one address for any emails; other addresses are not affected', async () => {
    const { email, password } = await aUser();
    const address = freshAddress();
    await fail(30, address, (attempt) => `nobody${attempt}@example.com`);

    expectLimited(await loginFrom(server, address, `${randomUUID()}@example.com`, wrong));
    expectLimited(await loginFrom(server, address, email, password));
    expect((await loginFrom(server, freshAddress(), email, password)).status).toBe(200);
  });

  it('are counted exactly if concurrent: ten of 25 are checked', async () => {
    const { email } = await aUser();
    const address = freshAddress();
    const responses = await Promise.all(Array.from({ length: 25 }, () => loginFrom(server, address, email, wrong)));

    const statuses = responses.map(({ status }) => status);
    expect(statuses.filter((status) => status === 401)).toHaveLength(10);
    expect(statuses.filter((status) => status === 429)).toHaveLength(15);
  });

  it('are limited equally for an email of 254 characters', async () => {
    const email = `${'x'.repeat(64)}@${`${'y'.repeat(61)}.`.repeat(3)}com`.padEnd(254, 'm');
    const address = freshAddress();
    await fail(10, address, () => email);

    expectLimited(await loginFrom(server, address, email, wrong));
    expectError(await loginFrom(server, address, email.replace('xx', 'xz'), wrong), 40102);
  });

  it('from many addresses do not delay the correct password from another address', async () => {
    const { email, password } = await aUser();
    for (let address = 0; address < 25; address++) await fail(1, freshAddress(), () => email);

    for (let login = 0; login < 6; login++) {
      expect((await loginFrom(server, freshAddress(), email, password)).status).toBe(200);
    }
  });

  it('do not include malformed requests', async () => {
    const { email, password } = await aUser();
    const address = freshAddress();
    for (let attempt = 0; attempt < 12; attempt++) {
      expectError(await loginFrom(server, address, email, null as unknown as string), 40001);
    }
    expect((await loginFrom(server, address, email, password)).status).toBe(200);
  });
});

describe('successful logins', () => {
  it('are not counted between failures', async () => {
    const { email, password } = await aUser();
    const address = freshAddress();
    await fail(9, address, () => email);
    for (let time = 0; time < 32; time++) {
      expect((await loginFrom(server, address, email, password)).status).toBe(200);
    }
    await fail(1, address, () => email);

    expectLimited(await loginFrom(server, address, email, wrong));
  });

  it('are not counted if concurrent with failures', async () => {
    const { email, password } = await aUser();
    const address = freshAddress();
    await fail(9, address, () => email);
    const responses = await Promise.all(Array.from({ length: 12 }, () => loginFrom(server, address, email, password)));

    expect(responses.map(({ status }) => status)).toEqual(Array.from({ length: 12 }, () => 200));
  });

  it('are accepted or get a 503 if concurrent, and the next one is accepted', async () => {
    const { email, password } = await aUser();
    const address = freshAddress();
    const responses = await Promise.all(Array.from({ length: 300 }, () => loginFrom(server, address, email, password)));

    const rejected = responses.filter(({ status }) => status !== 200);
    expect(rejected.length).toBeLessThan(300);
    for (const response of rejected) {
      // On a slow machine the deadline of a request can end outside a queue: 50301.
      const { error } = response.body as { error: number };
      expectError(response, error === 50301 ? 50301 : 50302);
      expect(response.headers['retry-after']).toBe('1');
    }
    expect((await loginFrom(server, address, email, password)).status).toBe(200);
  });
});
