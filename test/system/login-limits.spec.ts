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

function expectLimited(answer: Response): void {
  expectError(answer, 42902);
  expect(answer.headers['retry-after']).toMatch(/^\d+$/);
  const wait = Number(answer.headers['retry-after']);
  expect(wait).toBeGreaterThan(quarterOfAnHour - 60);
  expect(wait).toBeLessThanOrEqual(quarterOfAnHour);
}

describe('failed logins', () => {
  it('are refused after ten for one email from one address, even with the right password', async () => {
    const { email, password } = await aUser();
    const address = freshAddress();
    await fail(10, address, () => email);

    expectLimited(await loginFrom(server, address, email, wrong));
    expectLimited(await loginFrom(server, address, email, password));
  });

  it('are not made more by attempts that were refused: one email does not lock out its whole address', async () => {
    const [blocked, other] = [await aUser(), await aUser()];
    const address = freshAddress();
    await fail(10, address, () => blocked.email);
    for (let attempt = 0; attempt < 30; attempt++)
      expectLimited(await loginFrom(server, address, blocked.email, wrong));

    expect((await loginFrom(server, address, other.email, other.password)).status).toBe(200);
  });

  it('of one email count together in whatever case it is written', async () => {
    const { email } = await aUser();
    const address = freshAddress();
    await fail(10, address, (attempt) => (attempt % 2 === 0 ? email : ` ${email.toUpperCase()}`));

    expectLimited(await loginFrom(server, address, email, wrong));
  });

  it('of an email that nobody has are limited the same, so that the limit tells nothing', async () => {
    const address = freshAddress();
    const email = `${randomUUID()}@example.com`;
    await fail(10, address, () => email);

    expectLimited(await loginFrom(server, address, email, wrong));
  });

  it('from one address do not lock the right password out from elsewhere', async () => {
    const { email, password } = await aUser();
    const address = freshAddress();
    await fail(10, address, () => email);
    expectLimited(await loginFrom(server, address, email, password));

    expect((await loginFrom(server, freshAddress(), email, password)).status).toBe(200);
  });

  it('of one email do not lock out another email at the same address', async () => {
    const { email } = await aUser();
    const neighbour = await aUser();
    const address = freshAddress();
    await fail(10, address, () => email);

    expect((await loginFrom(server, address, neighbour.email, neighbour.password)).status).toBe(200);
  });

  it('are refused after thirty from one address, whichever the emails; other addresses go on', async () => {
    const { email, password } = await aUser();
    const address = freshAddress();
    await fail(30, address, (attempt) => `nobody${attempt}@example.com`);

    expectLimited(await loginFrom(server, address, `${randomUUID()}@example.com`, wrong));
    expectLimited(await loginFrom(server, address, email, password));
    expect((await loginFrom(server, freshAddress(), email, password)).status).toBe(200);
  });

  it('at once are counted exactly: ten of twenty-five are looked at', async () => {
    const { email } = await aUser();
    const address = freshAddress();
    const answers = await Promise.all(Array.from({ length: 25 }, () => loginFrom(server, address, email, wrong)));

    const statuses = answers.map(({ status }) => status);
    expect(statuses.filter((status) => status === 401)).toHaveLength(10);
    expect(statuses.filter((status) => status === 429)).toHaveLength(15);
  });

  it('of an email of 254 characters are limited like those of every other one', async () => {
    const email = `${'x'.repeat(64)}@${`${'y'.repeat(61)}.`.repeat(3)}com`.padEnd(254, 'm');
    const address = freshAddress();
    await fail(10, address, () => email);

    expectLimited(await loginFrom(server, address, email, wrong));
    expectError(await loginFrom(server, address, email.replace('xx', 'xz'), wrong), 40102);
  });

  it('from very many addresses do not hold up the right password from one without failures', async () => {
    const { email, password } = await aUser();
    for (let address = 0; address < 25; address++) await fail(1, freshAddress(), () => email);

    for (let login = 0; login < 6; login++) {
      expect((await loginFrom(server, freshAddress(), email, password)).status).toBe(200);
    }
  });

  it('do not come from malformed requests: these are not counted', async () => {
    const { email, password } = await aUser();
    const address = freshAddress();
    for (let attempt = 0; attempt < 12; attempt++) {
      expectError(await loginFrom(server, address, email, null as unknown as string), 40001);
    }
    expect((await loginFrom(server, address, email, password)).status).toBe(200);
  });
});

describe('right logins', () => {
  it('are not counted: between nine failures, any number of them leaves room for the tenth', async () => {
    const { email, password } = await aUser();
    const address = freshAddress();
    await fail(9, address, () => email);
    for (let time = 0; time < 32; time++) {
      expect((await loginFrom(server, address, email, password)).status).toBe(200);
    }
    await fail(1, address, () => email);

    expectLimited(await loginFrom(server, address, email, wrong));
  });

  it('at once beside nine failures never take the place of a failure', async () => {
    const { email, password } = await aUser();
    const address = freshAddress();
    await fail(9, address, () => email);
    const answers = await Promise.all(Array.from({ length: 12 }, () => loginFrom(server, address, email, password)));

    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 12 }, () => 200));
  });

  it('at once, as many as come, are let in or told to come again; the next one is let in', async () => {
    const { email, password } = await aUser();
    const address = freshAddress();
    const answers = await Promise.all(Array.from({ length: 300 }, () => loginFrom(server, address, email, password)));

    const refused = answers.filter(({ status }) => status !== 200);
    expect(refused.length).toBeLessThan(300);
    for (const answer of refused) {
      // On a slow machine the time limit of a request can end while it is not in a queue: 50301.
      const { error } = answer.body as { error: number };
      expectError(answer, error === 50301 ? 50301 : 50302);
      expect(answer.headers['retry-after']).toBe('1');
    }
    expect((await loginFrom(server, address, email, password)).status).toBe(200);
  });
});
