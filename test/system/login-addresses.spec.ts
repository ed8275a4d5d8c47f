import { randomUUID } from 'node:crypto';
import type { Response } from 'supertest';
import { callWithToken } from '../support/admins.js';
import { expectError } from '../support/expectations.js';
import { createOrganization } from '../support/organization.js';
import { RunningServer } from '../support/server.js';

const wrong = 'not the password';

let server: RunningServer;
let networks = 0;

// Trusts one proxy, so that a test can set the address of a request.
beforeAll(async () => {
  server = await RunningServer.start({ TRUST_PROXY: '1' });
});

afterAll(() => server.stop());

/** Returns the prefix of an IPv6 network that no other test uses. */
const aNetwork = () => `2001:db8:0:${(++networks).toString(16)}`;
const aUser = async () => (await createOrganization(server)).creator;

const login = (address: string, email: string, password: string): Promise<Response> =>
  server.call('post', '/auth/login').set('X-Forwarded-For', address).send({ email, password }).then();

async function fail(times: number, email: string, addressOf: (attempt: number) => string): Promise<void> {
  for (let attempt = 0; attempt < times; attempt++) {
    expectError(await login(addressOf(attempt), email, wrong), 40102);
  }
}

describe('failed logins over IPv6', () => {
  it('count for the /64 network, in which a client can choose any address', async () => {
    const { email, password } = await aUser();
    const network = aNetwork();
    await fail(10, email, (attempt) => `${network}::${attempt + 1}`);
    expectError(await login(`${network}:ffff:1:2:3`, email, password), 42902);
  });

  it('do not count for the neighboring network', async () => {
    const { email, password } = await aUser();
    const [network, beside] = [aNetwork(), aNetwork()];
    await fail(10, email, (attempt) => `${network}::${attempt + 1}`);
    expect((await login(`${beside}::1`, email, password)).status).toBe(200);
  });

  it('are rejected after 30 from one network for any emails', async () => {
    const network = aNetwork();
    for (let attempt = 0; attempt < 30; attempt++) {
      await fail(1, `${randomUUID()}@example.com`, () => `${network}::${attempt + 1}`);
    }
    expectError(await login(`${network}::ffff`, `${randomUUID()}@example.com`, wrong), 42902);
  });
});

describe('failed logins over IPv4', () => {
  it('count for the address, also if it is written as IPv6', async () => {
    const { email, password } = await aUser();
    const ways = ['198.51.100.7', '::ffff:198.51.100.7', '::ffff:c633:6407'];
    await fail(10, email, (attempt) => ways[attempt % ways.length] ?? '');
    for (const way of ways) expectError(await login(way, email, password), 42902);
    expect((await login('198.51.100.8', email, password)).status).toBe(200);
  });
});

describe('wrong current passwords over IPv6', () => {
  it('count for the /64 network, together with logins', async () => {
    const { email, password } = await aUser();
    const token = await server.login(email, password);
    const network = aNetwork();
    await fail(9, email, (attempt) => `${network}::${attempt + 1}`);
    const change = (address: string, currentPassword: string) =>
      callWithToken(server, token, 'post', '/auth/password')
        .set('X-Forwarded-For', address)
        .send({ currentPassword, newPassword: 'staple battery correct horse' });
    expectError(await change(`${network}::a:1`, wrong), 40102);
    expectError(await change(`${network}::a:2`, password), 42902);
    expectError(await login(`${network}::a:3`, email, password), 42902);
  });
});
