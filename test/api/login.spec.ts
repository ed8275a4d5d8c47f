import argon2 from 'argon2';
import { randomUUID } from 'node:crypto';
import {
  createOrganizationAdmin,
  callWithToken,
  loginFrom,
  decodeToken,
  signToken,
  type TestAdmin,
  changePasswordFrom,
  updateUser,
} from '../support/admins.js';
import { expectError, type ErrorBody, expectFieldError } from '../support/expectations.js';
import { TestOrganization, createOrganization } from '../support/organization.js';
import { jwtSecret, RunningServer, type Method } from '../support/server.js';
import { freshAddress } from '../support/fresh-address.js';
import { auditPage, countEventsOfRequest, withRequestId } from '../support/audit.js';
import { unknownId } from '../support/http-routes.js';
import { eventually } from '../support/processes.js';

const server = RunningServer.forTests();

const wrong = 'not the password';
const oneHourFromNow = () => Math.floor(Date.now() / 1000) + 3_600;

const organization = TestOrganization.forTests(server);
/** For tests that do not change the user. */
let admin: TestAdmin;

beforeAll(async () => {
  admin = await createOrganizationAdmin(organization);
});

/** The parts of an error by which clients could distinguish rejections. */
function visibleParts({ error, message }: ErrorBody): { error: number; message: string } {
  return { error, message };
}

async function disable(email: string): Promise<void> {
  const users = (await server.database()).collection('users');
  const { modifiedCount } = await users.updateOne({ email }, { $set: { disabledAt: new Date() } });
  expect(modifiedCount).toBe(1);
}

describe('POST /auth/login', () => {
  it('returns a bearer token for one hour, and nothing else, for the email in any case', async () => {
    const email = `  ${admin.email.toUpperCase()}\t`;
    const response = await server.call('post', '/auth/login').send({ email, password: admin.password });

    expect(response.status).toBe(200);
    const { accessToken, ...rest } = response.body as { accessToken: string };
    expect(rest).toEqual({ tokenType: 'Bearer', expiresIn: 3600 });
    const { header, payload } = decodeToken(accessToken);
    expect(header['alg']).toBe('HS256');
    expect(payload['sub']).toBe(admin._id);
    expect(Number(payload['exp']) - Number(payload['iat'])).toBe(3600);
    expect(Math.abs(Number(payload['exp']) - oneHourFromNow())).toBeLessThan(30);
  });

  it.each(['NFC', 'NFD'])('accepts a password in both forms of Unicode that was set in %s', async (form) => {
    const password = 'Straße-pässwörd';
    const user = await createOrganizationAdmin(organization, password.normalize(form));
    for (const sent of ['NFC', 'NFD']) await server.login(user.email, password.normalize(sent));
  });

  it('accepts an old password that is stored as it was sent', async () => {
    const password = 'pässwörd of before'.normalize('NFD');
    const user = await createOrganizationAdmin(organization);
    const users = (await server.database()).collection('users');
    await users.updateOne({ email: user.email }, { $set: { passwordHash: await argon2.hash(password) } });
    await server.login(user.email, password);
  });

  it('responds identically to a wrong password, an unknown email and a disabled user', async () => {
    const disabled = await createOrganizationAdmin(organization);
    await disable(disabled.email);

    const responses = [
      await loginFrom(server, '127.0.1.2', admin.email, wrong),
      await loginFrom(server, '127.0.1.2', `${randomUUID()}@example.com`, wrong),
      await loginFrom(server, '127.0.1.2', disabled.email, disabled.password),
      await loginFrom(server, '127.0.1.2', disabled.email, wrong),
    ];

    const first = visibleParts(expectError(await loginFrom(server, '127.0.1.2', admin.email, ''), 40102));
    for (const response of responses) {
      expect(visibleParts(expectError(response, 40102))).toEqual(first);
      expect(response.headers['www-authenticate']).toBe('Bearer');
    }
  });
});

describe('GET /auth/me', () => {
  it('returns the creator and an admin of an organization with its ID', async () => {
    for (const [user, role] of [
      [organization.creator, 'organizationCreator'],
      [admin, 'organizationAdmin'],
    ] as const) {
      const token = await server.login(user.email, user.password);
      const response = await callWithToken(server, token, 'get', '/auth/me').expect(200);
      const { createdAt, ...data } = (response.body as { data: Record<string, unknown> }).data;
      const { _id, name, email } = user;
      const flags = { disabled: false, hasSecondFactor: false };
      expect(data).toEqual({ _id, name, email, role, organizationId: organization.id, ...flags });
      expect(createdAt).toMatch(/^\d{4}-.*\.\d{3}Z$/);
    }
  });
});

describe('an admin token', () => {
  const valid = () => ({ sub: admin._id, generation: 0, iat: oneHourFromNow() - 3600, exp: oneHourFromNow() });

  it('is valid for its user, generation and time', async () => {
    await callWithToken(server, signToken(valid(), jwtSecret), 'get', '/auth/me').expect(200);
  });

  it.each<[string, () => string]>([
    ['expired', () => signToken({ ...valid(), exp: oneHourFromNow() - 3601 }, jwtSecret)],
    ['not signed (alg none)', () => signToken(valid(), jwtSecret, 'none')],
    ['signed with HS512', () => signToken(valid(), jwtSecret, 'HS512')],
    ['signed with another secret', () => signToken(valid(), `${jwtSecret}.`)],
    ['of an unknown user', () => signToken({ ...valid(), sub: 'f'.repeat(24) }, jwtSecret)],
    ['of no generation', () => signToken({ ...valid(), generation: undefined }, jwtSecret)],
    ['of another generation', () => signToken({ ...valid(), generation: 1 }, jwtSecret)],
    ['of a query instead of a user', () => signToken({ ...valid(), sub: { $ne: null } }, jwtSecret)],
  ])('that is %s returns 40102', async (_what, createToken) => {
    const response = await callWithToken(server, createToken(), 'get', '/auth/me');
    expectError(response, 40102);
    expect(response.headers['www-authenticate']).toBe('Bearer');
  });

  it('returns 40102 with the next request after its user was removed', async () => {
    const user = await createOrganizationAdmin(organization);
    const token = await server.login(user.email, user.password);
    await callWithToken(server, token, 'get', '/auth/me').expect(200);

    await (await server.database()).collection('users').deleteOne({ email: user.email });

    expectError(await callWithToken(server, token, 'get', '/auth/me'), 40102);
  });
});

const newPassword = () => `new ${randomUUID()}`;
const getMe = (token: string) => callWithToken(server, token, 'get', '/auth/me');

async function createAdminWithToken() {
  const admin = await createOrganizationAdmin(await createOrganization(server));
  return { ...admin, token: await server.login(admin.email, admin.password) };
}

const change = (token: string, body: object, address = freshAddress()) =>
  changePasswordFrom(server, address, token, body);

describe('POST /auth/password', () => {
  it('returns a working token, like a login, and ends all earlier tokens of the user', async () => {
    const { _id, email, token, password } = await createAdminWithToken();
    const otherToken = await server.login(email, password);
    const response = await change(token, { currentPassword: password, newPassword: newPassword() });

    expect(response.status).toBe(200);
    const { accessToken, ...rest } = response.body as { accessToken: string };
    expect(rest).toEqual({ tokenType: 'Bearer', expiresIn: 3600 });
    expect(decodeToken(accessToken).payload['sub']).toBe(_id);
    await getMe(accessToken).expect(200);
    for (const earlier of [token, otherToken]) expectError(await getMe(earlier), 40102);
  });

  it('rejects a wrong current password with its own message and changes nothing', async () => {
    const { email, token, password } = await createAdminWithToken();
    const renewed = newPassword();
    const response = await change(token, { currentPassword: wrong, newPassword: renewed });
    expect(expectError(response, 40102).message).toBe('The current password is wrong');
    expect(response.headers['www-authenticate']).toBe('Bearer');
    await getMe(token).expect(200);
    await server.login(email, password);
    expectError(await loginFrom(server, freshAddress(), email, renewed), 40102);
  });

  it('rejects the current password as the new one, naming newPassword', async () => {
    const { token, password } = await createAdminWithToken();
    expectFieldError(await change(token, { currentPassword: password, newPassword: password }), 'newPassword');
    await getMe(token).expect(200);
  });

  it('lets exactly one of several concurrent changes succeed; the others return 40102', async () => {
    for (let round = 0; round < 3; round++) {
      const { email, token, password } = await createAdminWithToken();
      const passwords = Array.from({ length: 4 }, newPassword);
      const responses = await Promise.all(
        passwords.map((renewed) => change(token, { currentPassword: password, newPassword: renewed })),
      );
      expect(responses.map(({ status }) => status).sort()).toEqual([200, 401, 401, 401]);
      for (const [index, response] of responses.entries()) {
        const login = await loginFrom(server, freshAddress(), email, passwords[index] ?? '');
        expect(login.status).toBe(response.status);
        if (response.status === 200) await getMe((response.body as { accessToken: string }).accessToken).expect(200);
        else expectError(response, 40102);
      }
    }
  });
});

describe('a login or request', () => {
  it.each(['failure', 'success'] as const)('is recorded as a %s, without the credentials', async (outcome) => {
    const { id, creator } = await createOrganization(server);
    const password = outcome === 'success' ? creator.password : 'a wrong password';
    const login = withRequestId(loginFrom(server, '127.0.0.9', creator.email, password));
    expect((await login.call).status).toBe(outcome === 'success' ? 200 : 401);
    // A success is recorded before the response.
    if (outcome === 'success') expect(await countEventsOfRequest(server, login.id)).toBe(1);
    await eventually('there is an event', async () => (await countEventsOfRequest(server, login.id)) === 1);
    const [event] = (await auditPage(server, `organizationId=${id}&limit=1`)).data;
    const user = { kind: 'user', _id: creator._id, email: creator.email, role: 'organizationCreator' };
    expect(event).toEqual({
      _id: expect.any(String) as string,
      at: expect.any(String) as string,
      action: 'login',
      outcome,
      ...(outcome === 'success' ? { actor: user } : { actor: { kind: 'anonymous' }, error: 40102 }),
      organizationId: id,
      organizationName: 'Bay Area Flag Football',
      target: { kind: 'user', _id: creator._id, name: creator.email },
      address: '127.0.0.9',
      requestId: login.id,
    });
  });

  it('returns no networks of earlier logins, and neither does any response with the user', async () => {
    const { id, creator } = await createOrganization(server);
    const token = await server.login(creator.email, creator.password);
    const stored = await (await server.database()).collection('users').findOne({ email: creator.email });
    expect(stored?.['recentLogins']).toEqual([{ network: '127.0.0.1', at: expect.any(Date) as Date }]);
    const responses = await Promise.all([
      loginFrom(server, '127.0.0.13', creator.email, creator.password),
      callWithToken(server, token, 'get', '/auth/me'),
      server.asSuperAdmin('get', `/organizations/${id}/users`),
      updateUser(server, creator._id, { name: 'Dana Reyes-Ito' }),
      server.asSuperAdmin('get', `/audit-events?organizationId=${id}`),
    ]);
    expect(responses.map(({ status }) => status)).toEqual(Array(5).fill(200));
    for (const { text } of responses) expect(text).not.toMatch(/recentLogins|"network"/);
  });

  it.each<[Method, string, string, number]>([
    ['get', '/organizations', 'listOrganizations', 40303],
    ['put', `/schedules/${unknownId}/player-statistics`, 'replacePlayerStatistics', 40001],
  ])('that is rejected (%s %s) is logged with operation, user and error, and not audited', async (...given) => {
    const [method, path, operation, error] = given;
    const { creator } = await createOrganization(server);
    const token = await server.login(creator.email, creator.password);
    const { call, id } = withRequestId(callWithToken(server, token, method, path));
    expect((await call).body).toMatchObject({ error });
    const lines = () => server.log.split('\n').filter((line) => line.includes(id));
    await eventually('the request is logged', () => lines().length > 0);
    expect(lines().map((line) => JSON.parse(line) as unknown)).toMatchObject([
      { msg: 'request completed', requestId: id, operation, error, userId: creator._id },
    ]);
    expect(await countEventsOfRequest(server, id)).toBe(0);
  });
});
