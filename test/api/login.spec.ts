import { randomUUID } from 'node:crypto';
import argon2 from 'argon2';
import {
  createOrganizationAdmin,
  callWithToken,
  loginFrom,
  decodeToken,
  signToken,
  type TestAdmin,
} from '../support/admins.js';
import { expectError, type ErrorBody } from '../support/expectations.js';
import { TestOrganization } from '../support/organization.js';
import { jwtSecret, RunningServer, superAdmin } from '../support/server.js';

const wrong = 'not the password';
const oneHourFromNow = () => Math.floor(Date.now() / 1000) + 3_600;

const server = RunningServer.forTests();
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
  it('returns a bearer token for one hour, and nothing else', async () => {
    const response = await server.call('post', '/auth/login').send({ email: admin.email, password: admin.password });

    expect(response.status).toBe(200);
    const { accessToken, ...rest } = response.body as { accessToken: string };
    expect(rest).toEqual({ tokenType: 'Bearer', expiresIn: 3600 });
    const { header, payload } = decodeToken(accessToken);
    expect(header['alg']).toBe('HS256');
    expect(Number(payload['exp']) - Number(payload['iat'])).toBe(3600);
    expect(Math.abs(Number(payload['exp']) - oneHourFromNow())).toBeLessThan(30);
  });

  it.each([
    ['in upper case', (email: string) => email.toUpperCase()],
    ['with surrounding white space', (email: string) => `  ${email}\t`],
  ])('accepts the email %s', async (_how, write) => {
    expect(decodeToken(await server.login(write(admin.email), admin.password)).payload['sub']).toBe(admin._id);
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
  it('returns a super admin without an organization', async () => {
    const response = await server.asSuperAdmin('get', '/auth/me').expect(200);
    const { data } = response.body as { data: Record<string, unknown> };
    expect(Object.keys(response.body as object)).toEqual(['data']);
    expect(data).toMatchObject({ email: superAdmin.email, role: 'superAdmin' });
    const names = ['_id', 'createdAt', 'disabled', 'email', 'hasSecondFactor', 'name', 'role'];
    expect(Object.keys(data).sort()).toEqual(names);
  });

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
