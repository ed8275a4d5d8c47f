import { execFileSync } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Response } from 'supertest';
import { callWithToken, loginFrom } from '../support/admins.js';
import { expectError, expectInvalidKey } from '../support/expectations.js';
import { freshAddress } from '../support/fresh-address.js';
import { api, createOrganization } from '../support/organization.js';
import { eventually } from '../support/processes.js';
import { RunningServer } from '../support/server.js';

const quarterOfAnHour = 900;
const wrong = 'not the password';

/** Failed authentications per minute and address. */
const allowed = 5;

// Trusts one proxy, so that a test can set the address of a request.
const server = RunningServer.forTests({ AUTH_FAILURES_PER_MINUTE: String(allowed), TRUST_PROXY: '1' });

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

describe('the limit of failed authentications', () => {
  const withoutKey = (address: string) => server.call('get', `${api}/teams`).set('X-Forwarded-For', address);
  const withKey = (address: string, key: string) => withoutKey(address).set('Authorization', `Bearer ${key}`);
  const useUp = async (address: string) => {
    for (let failure = 0; failure < allowed; failure++) expectInvalidKey(await withoutKey(address));
  };

  it('returns 401 up to the limit and 429 with Retry-After beyond it', async () => {
    const address = freshAddress();
    await useUp(address);
    const limited = await withoutKey(address);
    expectError(limited, 42902);
    expect(limited.headers['retry-after']).toMatch(/^([1-9]|[1-5]\d|60)$/);
    expect(limited.headers['www-authenticate']).toBeUndefined();
  });

  it('is exact with many concurrent failures', async () => {
    const address = freshAddress();
    const statuses = await Promise.all(Array.from({ length: 30 }, async () => (await withoutKey(address)).status));
    expect(statuses.filter((status) => status === 401)).toHaveLength(allowed);
    expect(statuses.filter((status) => status === 429)).toHaveLength(30 - allowed);
  });

  it('counts all kinds of failures on all public routes together', async () => {
    const { key } = await createOrganization(server);
    const address = freshAddress();
    const from = (path: string) => server.call('get', api + path).set('X-Forwarded-For', address);
    expectInvalidKey(await from('/seasons'));
    expectInvalidKey(await from('/teams').set('Authorization', 'Basic eDp5'));
    expectInvalidKey(await from('/schedules').set('Authorization', 'Bearer nonsense'));
    expectInvalidKey(await from('/teams').set('Authorization', `Bearer ${key.apiKey.slice(0, -1)}_`));
    await server.asSuperAdmin('delete', `/api-keys/${key.id}`).expect(200);
    expectInvalidKey(await from('/teams').set('Authorization', `Bearer ${key.apiKey}`));
    expectError(await from('/seasons'), 42902);
  });

  it('counts unknown calendars and refreshes with an invalid cookie too, but none without a cookie', async () => {
    const address = freshAddress();
    const calendar = () =>
      server
        .call('get', `${api}/calendars/${randomBytes(44).toString('base64url')}.ics`)
        .set('X-Forwarded-For', address);
    const refresh = (headers: object) =>
      server
        .call('post', '/auth/refresh')
        .set({ ...headers, 'Sec-Fetch-Site': 'same-origin', 'X-Forwarded-For': address });
    const invalid = { Cookie: '__Host-token=eyJ.eyJ.x' };
    for (let request = 0; request <= allowed; request++) expectError(await refresh({}), 40102);
    for (let failure = 0; failure < 2; failure++) {
      expectError(await calendar(), 40410);
      expectError(await refresh(invalid), 40102);
    }
    expectInvalidKey(await withoutKey(address));
    expectError(await calendar(), 42902);
    expectError(await refresh(invalid), 42902);
    expectError(await refresh({}), 40102);
    const { superAdminToken } = server;
    await refresh({ Cookie: `__Host-token=${superAdminToken}` }).expect(200);
  });

  it('does not count unknown paths and methods', async () => {
    const address = freshAddress();
    for (let request = 0; request <= allowed; request++) {
      expectError(await server.call('get', `${api}/nothing`).set('X-Forwarded-For', address), 40400);
      expectError(await server.call('put', `${api}/teams`).set('X-Forwarded-For', address), 40500);
    }
    expectInvalidKey(await withoutKey(address));
  });

  it('counts a /64 network of IPv6 together, because a client can use all its addresses', async () => {
    const { key } = await createOrganization(server);
    const inNetwork = (host: string) => `2001:db8:0:7:${host}`;
    for (let failure = 0; failure < allowed; failure++) expectInvalidKey(await withoutKey(inNetwork(`${failure}::9`)));
    expectError(await withoutKey(inNetwork(':1')), 42902);
    expectError(await withoutKey('2001:0DB8:0000:0007:ffff:ffff:ffff:ffff'), 42902);
    await withKey(inNetwork(':1'), key.apiKey).expect(200);
    expectInvalidKey(await withoutKey('2001:db8:0:8::1'));
    expectInvalidKey(await withoutKey('2001:db8:1:7::1'));
  });

  it('is logged once with the address or network, however many failures follow', async () => {
    const warnings = () =>
      server.log
        .split('\n')
        .filter((line) => line.includes('Too many failed authentications'))
        .map((line) => JSON.parse(line) as { level: string; address: string });
    const about = (address: string) => warnings().filter((line) => line.address === address);
    const address = freshAddress();
    await useUp(address);
    expect(about(address)).toEqual([]);
    const responses = await Promise.all(Array.from({ length: 20 }, () => withoutKey(address)));
    for (const response of responses) expectError(response, 42902);
    await Promise.all(Array.from({ length: 20 }, (_, host) => withoutKey(`2001:db8:0:9::${host + 1}`)));
    await eventually('the log line', () => about('2001:db8:0:9::/64').length > 0);
    expect(about('2001:db8:0:9::/64')).toHaveLength(1);
    expect(about(address)).toEqual([expect.objectContaining({ level: 'warn' })]);
  });
});
