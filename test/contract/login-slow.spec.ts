import { randomUUID } from 'node:crypto';
import type { Response } from 'supertest';
import { loginFrom } from '../support/admins.js';
import { expectRefusal } from '../support/expectations.js';
import { freshAddress } from '../support/fresh-address.js';
import { anOrganization } from '../support/organization.js';
import { eventually } from '../support/processes.js';
import { RunningServer } from '../support/server.js';

const wrong = 'not the password';

let server: RunningServer;

beforeAll(async () => {
  server = await RunningServer.start();
});

afterAll(() => server.stop());

const aUser = async () => (await anOrganization(server)).creator;

/** Failures for one email, each from another address, so that no address is near its own limit. */
async function fail(times: number, email: string): Promise<void> {
  for (let attempt = 0; attempt < times; attempt++) {
    expectRefusal(await loginFrom(server, freshAddress(), email, wrong), 40102);
  }
}

/** So many attempts at once, each from another address. */
function atOnce(count: number, email: string, password = wrong): Promise<Response[]> {
  return Promise.all(Array.from({ length: count }, () => loginFrom(server, freshAddress(), email, password)));
}

const statusesOf = (answers: readonly Response[]) => answers.map(({ status }) => status).sort();

describe('an email with twenty failures from all addresses together', () => {
  it.each([
    ['of a user', async () => (await aUser()).email],
    ['that nobody has', () => Promise.resolve(`${randomUUID()}@example.com`)],
  ])(
    '%s has its attempts looked at one after the other: beyond three that wait, 429 for some seconds',
    async (_whose, make) => {
      const email = await make();
      await fail(20, email);
      const answers = await atOnce(12, email);

      const refused = answers.filter(({ status }) => status === 429);
      expect(refused.length).toBeGreaterThan(0);
      for (const answer of refused) {
        expectRefusal(answer, 42902);
        expect(answer.headers['retry-after']).toBe('3');
      }
      const looked = answers.filter(({ status }) => status !== 429);
      expect(looked.length).toBeGreaterThanOrEqual(4);
      for (const answer of looked) expectRefusal(answer, 40102);
    },
  );

  it('still lets the right password in from an address without failures, and later again', async () => {
    const { email, password } = await aUser();
    await fail(25, email);
    for (let time = 0; time < 2; time++) {
      expect((await loginFrom(server, freshAddress(), email, password)).status).toBe(200);
    }
  });

  it('never holds up its owner where they logged in before, whoever else tries', async () => {
    const { email, password } = await aUser();
    const home = freshAddress();
    const login = async () => (await loginFrom(server, home, email, password)).status;
    expect(await login()).toBe(200);
    await fail(20, email);
    const [crowd, ...owner] = await Promise.all([atOnce(12, email), login(), login(), login(), login(), login()]);
    expect(statusesOf(crowd)).toContain(429);
    expect(owner).toEqual(Array(5).fill(200));
  });

  it('is refused at an address that came too often, for longer than some seconds; not at another one', async () => {
    const { email, password } = await aUser();
    await fail(20, email);
    const address = freshAddress();
    await Promise.all(Array.from({ length: 10 }, () => loginFrom(server, address, email, wrong)));
    const answer = await loginFrom(server, address, email, password);
    expectRefusal(answer, 42902);
    expect(Number(answer.headers['retry-after'])).toBeGreaterThan(60);
    expect((await loginFrom(server, freshAddress(), email, password)).status).toBe(200);
  });

  it('lets the right password in after a crowd, whoever was refused in it', async () => {
    const { email, password } = await aUser();
    await fail(20, email);
    await atOnce(12, email);
    const login = async () => (await loginFrom(server, freshAddress(), email, password)).status === 200;
    await eventually('the owner is let in', login);
  });

  it('still is refused at an address with ten failures of its own', async () => {
    const { email, password } = await aUser();
    await fail(12, email);
    const address = freshAddress();
    for (let attempt = 0; attempt < 10; attempt++) {
      expectRefusal(await loginFrom(server, address, email, wrong), 40102);
    }
    const answer = await loginFrom(server, address, email, password);
    expectRefusal(answer, 42902);
    expect(Number(answer.headers['retry-after'])).toBeGreaterThan(60);
  });

  it('does not hold up another email', async () => {
    const [attacked, other] = [await aUser(), await aUser()];
    await fail(20, attacked.email);
    const [, others] = await Promise.all([atOnce(12, attacked.email), atOnce(8, other.email, other.password)]);
    expect(statusesOf(others)).toEqual(Array(8).fill(200));
  });
});

describe('an email with fewer failures', () => {
  it('has its attempts looked at as they come', async () => {
    const { email } = await aUser();
    await fail(12, email);
    expect(statusesOf(await atOnce(8, email))).toEqual(Array(8).fill(401));
  });

  it('is one that its owner logged in to however often: right logins are not counted', async () => {
    const { email, password } = await aUser();
    for (let time = 0; time < 25; time++) await server.login(email, password);
    expect(statusesOf(await atOnce(8, email))).toEqual(Array(8).fill(401));
  });
});

describe('an email of 254 characters', () => {
  it('is limited like every other one', async () => {
    const email = `${'x'.repeat(64)}@${`${'y'.repeat(61)}.`.repeat(3)}com`.padEnd(254, 'm');
    const address = freshAddress();
    for (let attempt = 0; attempt < 10; attempt++) {
      expectRefusal(await loginFrom(server, address, email, wrong), 40102);
    }
    expectRefusal(await loginFrom(server, address, email, wrong), 42902);
    expectRefusal(await loginFrom(server, address, email.replace('xx', 'xz'), wrong), 40102);
  });
});
