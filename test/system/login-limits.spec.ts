import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Response } from 'supertest';
import { callWithToken, loginFrom } from '../support/admins.js';
import { expectError } from '../support/expectations.js';
import { freshAddress } from '../support/fresh-address.js';
import { createOrganization } from '../support/organization.js';
import { eventually } from '../support/processes.js';
import { RunningServer } from '../support/server.js';

const quarterOfAnHour = 900;
const wrong = 'not the password';

const server = RunningServer.forTests({ TRUST_PROXY: '1' });

// Trusts one proxy, so that a test can set the address of a request.

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
  it('are not counted while rejected, so one email does not lock out its whole address', async () => {
    const [blocked, other] = [await aUser(), await aUser()];
    const address = freshAddress();
    await fail(10, address, () => blocked.email);
    for (let attempt = 0; attempt < 30; attempt++)
      expectLimited(await loginFrom(server, address, blocked.email, wrong));

    expect((await loginFrom(server, address, other.email, other.password)).status).toBe(200);
  });

  it('are rejected after 30 from one address for any emails; other addresses are not affected', async () => {
    const { email, password } = await aUser();
    const address = freshAddress();
    await fail(30, address, (attempt) => `nobody${attempt}@example.com`);

    expectLimited(await loginFrom(server, address, `${randomUUID()}@example.com`, wrong));
    expectLimited(await loginFrom(server, address, email, password));
    expect((await loginFrom(server, freshAddress(), email, password)).status).toBe(200);
  });
});

it('the command in docs/operators/alerts.md counts failed logins by address', async () => {
  const page = readFileSync(path.resolve(__dirname, '../../docs/operators/alerts.md'), 'utf8');
  const [, command = ''] = /^(jq .*)$/m.exec(page) ?? [];
  const address = freshAddress();
  await fail(3, address, () => 'unknown@example.com');
  const count = () =>
    execFileSync('bash', ['-c', command.replace(' server.log', '')], { input: server.log, encoding: 'utf8' });
  await eventually('the failures are logged', () => new RegExp(`^ +3 ${address}$`, 'm').test(count()));
});

it('wrong current passwords count for the /64 network of IPv6, together with logins', async () => {
  const { email, password } = await aUser();
  const token = await server.login(email, password);
  const from = (host: string) => ({ 'X-Forwarded-For': `2001:db8:0:1:${host}` });
  const login = (host: string, presented: string) =>
    server.call('post', '/auth/login').set(from(host)).send({ email, password: presented });
  const change = (host: string, currentPassword: string) =>
    callWithToken(server, token, 'post', '/auth/password')
      .set(from(host))
      .send({ currentPassword, newPassword: 'staple battery correct horse' });
  for (let attempt = 1; attempt <= 9; attempt++) expectError(await login(`:${attempt}`, wrong), 40102);
  expectError(await change(':a', wrong), 40102);
  expectLimited(await change(':b', password));
  expectLimited(await login('ffff:1:2:3', password));
});
