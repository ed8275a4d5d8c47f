import type { Response } from 'supertest';
import {
  callWithToken,
  changePasswordFrom,
  createOrganizationAdmin,
  createSuperAdmin,
  type TestAdmin,
} from '../support/admins.js';
import { expectError } from '../support/expectations.js';
import { startForTests } from '../support/for-tests.js';
import { createOrganization } from '../support/organization.js';
import { enrol } from '../support/second-factor.js';
import { jwtSecret, type Method, RunningServer, secondaryJwtSecret } from '../support/server.js';

const server = RunningServer.forTests();
/** A replica in the next step of a rotation of JWT_SECRET, with another rule for super admins. */
const replica = startForTests(
  RunningServer,
  () =>
    RunningServer.start({
      ...{ MONGODB_URI: server.databaseUri, JWT_SECRET: secondaryJwtSecret, JWT_SECRET_SECONDARY: jwtSecret },
      ...{ REQUIRE_SECOND_FACTOR: 'true', WEBHOOK_WORKER: 'off' },
    }),
  // Keeps the database, which other tests use.
  { stop: (running) => running.end() },
);

describe('the session of an admin', () => {
  let admin: TestAdmin;

  beforeAll(async () => {
    admin = await createOrganizationAdmin(await createOrganization(server));
  });

  const logIn = (on = server) => on.login(admin.email, admin.password);
  const getMe = (on: RunningServer, token: string) => callWithToken(on, token, 'get', '/auth/me');

  it('continues on every replica while JWT_SECRET rotates', async () => {
    for (const token of [await logIn(), await logIn(replica)]) {
      await getMe(server, token).expect(200);
      await getMe(replica, token).expect(200);
    }
  });

  describe('ended by POST /auth/logout', () => {
    it('has no valid token on any replica, is in the audit once, and other sessions continue', async () => {
      const [ended, other] = [await logIn(), await logIn()];
      await callWithToken(server, ended, 'post', '/auth/logout').expect(200, { message: 'Logged out' });
      for (const each of [server, replica]) {
        expectError(await getMe(each, ended), 40102);
        await getMe(each, other).expect(200);
      }
      expectError(await callWithToken(server, ended, 'post', '/auth/logout'), 40102);
      const response = await server.asSuperAdmin('get', `/audit-events?action=logout&actorId=${admin._id}`).expect(200);
      const event = { target: { kind: 'user', _id: admin._id }, outcome: 'success' };
      expect((response.body as { data: object[] }).data).toMatchObject([event]);
    });

    it('is the last of 101: then all sessions of the user end, so that the list stays short', async () => {
      const user = await createOrganizationAdmin(await createOrganization(server));
      const [ended, other] = [
        await server.login(user.email, user.password),
        await server.login(user.email, user.password),
      ];
      const users = (await server.database()).collection('users');
      const endedSessions = Array.from({ length: 100 }, (_, index) => ({ id: `ended ${index}`, at: new Date() }));
      await users.updateOne({ email: user.email }, { $set: { endedSessions } });
      await callWithToken(server, ended, 'post', '/auth/logout').expect(200);
      expectError(await getMe(server, other), 40102);
      await getMe(server, await server.login(user.email, user.password)).expect(200);
    });
  });

  describe('of a page of the server', () => {
    const cookieOf = ({ headers }: Response) => (headers['set-cookie'] as unknown as string[] | undefined)?.[0];
    const logInFrom = async (site: string): Promise<string | undefined> => {
      const { email, password } = admin;
      const call = server.call('post', '/auth/login').set('Sec-Fetch-Site', site).send({ email, password });
      return cookieOf(await call.expect(200));
    };
    const refresh = (cookie = '', site = 'same-origin') =>
      replica.call('post', '/auth/refresh').set({ Cookie: cookie.split(';')[0], 'Sec-Fetch-Site': site });

    it('is kept in a cookie for the refresh only, also on another replica', async () => {
      const cookie = await logInFrom('same-origin');
      expect(cookie).toMatch(/^__Host-token=[^;]+; Path=\/; HttpOnly; Secure; SameSite=Strict$/);
      const response = await refresh(cookie).expect(200);
      const { accessToken, expiresIn } = response.body as { accessToken: string; expiresIn: number };
      expect(cookie).toContain(`__Host-token=${accessToken};`);
      expect(expiresIn).toBeGreaterThan(3_500);
      expect(expiresIn).toBeLessThanOrEqual(3_600);
      await getMe(server, accessToken).expect(200);
    });

    it('is neither kept nor continued for a page of another origin', async () => {
      const cookie = await logInFrom('same-origin');
      for (const site of ['same-site', 'cross-site', 'none']) {
        expect(await logInFrom(site)).toBeUndefined();
        expectError(await refresh(cookie, site), 40102);
      }
    });

    it('is not kept for programs, and not continued without its cookie', async () => {
      const { email, password } = admin;
      expect(cookieOf(await server.call('post', '/auth/login').send({ email, password }))).toBeUndefined();
      expectError(await refresh(), 40102);
      expectError(await refresh('__Host-token=eyJ.eyJ.x'), 40102);
    });

    it('continues only with exactly one cookie of this name, so that no other host can plant one', async () => {
      const own = (await logInFrom('same-origin'))?.split(';')[0] ?? '';
      const send = (cookies: string) =>
        replica.call('post', '/auth/refresh').set({ Cookie: cookies, 'Sec-Fetch-Site': 'same-origin' });
      await send(`token=planted; ${own}; other=1`).expect(200);
      const renamed = ['token', '__host-token', '__Secure-token', 'x__Host-token'];
      for (const name of renamed) expectError(await send(own.replace('__Host-token', name)), 40102);
      for (const cookies of [`${own}; ${own}`, `__Host-token=planted; ${own}`]) expectError(await send(cookies), 40102);
    });

    it('does not continue after a logout, and after a new password only with the new cookie', async () => {
      const [first, second] = [await logInFrom('same-origin'), await logInFrom('same-origin')];
      const tokenOf = (cookie = '') => cookie.slice('__Host-token='.length).split(';')[0] ?? '';
      await callWithToken(server, tokenOf(first), 'post', '/auth/logout').expect(200);
      expectError(await refresh(first), 40102);
      const passwords = { currentPassword: admin.password, newPassword: `${admin.password}, changed` };
      const change = changePasswordFrom(server, '127.0.1.9', tokenOf(second), passwords);
      const renewed = cookieOf(await change.set('Sec-Fetch-Site', 'same-origin').expect(200));
      expectError(await refresh(second), 40102);
      await refresh(renewed).expect(200);
    });
  });
});

it('a server with REQUIRE_SECOND_FACTOR lets super admins without one only set one up and log out', async () => {
  const { email, password } = await createSuperAdmin(server);
  const token = await replica.login(email, password);
  const call = (method: Method, path: string) => callWithToken(replica, token, method, path);
  await call('get', '/auth/me').expect(200);
  expect(expectError(await call('get', '/organizations'), 40308).message).toBe('Set up a second factor first');
  const passwords = { currentPassword: password, newPassword: 'another password for tests' };
  expectError(await call('post', '/auth/password').send(passwords), 40308);
  const { accessToken } = await enrol(replica, token, password);
  await callWithToken(replica, accessToken, 'get', '/organizations').expect(200);
  // Admins of organizations do not need one.
  const admin = await createOrganizationAdmin(await createOrganization(server));
  const adminToken = await replica.login(admin.email, admin.password);
  expectError(await callWithToken(replica, adminToken, 'get', '/organizations'), 40303);
});
