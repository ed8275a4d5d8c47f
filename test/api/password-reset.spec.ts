import { randomUUID } from 'node:crypto';
import {
  callWithToken,
  createOrganizationAdmin,
  loginFrom,
  resetPasswordFrom,
  type TestAdmin,
  updateUser,
} from '../support/admins.js';
import { eventsOfRequest, withRequestId } from '../support/audit.js';
import { expectError } from '../support/expectations.js';
import { freshAddress } from '../support/fresh-address.js';
import { createOrganization } from '../support/organization.js';
import { codeOf, enrol } from '../support/second-factor.js';
import { RunningServer } from '../support/server.js';

const server = RunningServer.forTests();

const newPassword = () => `new ${randomUUID()}`;
const requestToken = (id: string) => server.asSuperAdmin('post', `/users/${id}/password-reset`);
const reset = (token: string, password: string, address = freshAddress()) =>
  resetPasswordFrom(server, address, { token, newPassword: password });
const getMe = (token: string) => callWithToken(server, token, 'get', '/auth/me');

async function createToken(id: string): Promise<string> {
  return ((await requestToken(id).expect(201)).body as { data: { token: string } }).data.token;
}

async function createAdminWithToken(): Promise<TestAdmin & { token: string }> {
  const admin = await createOrganizationAdmin(await createOrganization(server));
  return { ...admin, token: await createToken(admin._id) };
}

describe('POST /users/{userId}/password-reset', () => {
  it('returns a token for 24 hours, of which only a hash is stored, and is audited without it', async () => {
    const { _id, email } = await createOrganizationAdmin(await createOrganization(server));
    const begun = Date.now();
    const { call, id } = withRequestId(requestToken(_id));
    const { token, expiresAt, ...rest } = ((await call.expect(201)).body as { data: Record<string, string> }).data;
    expect(rest).toEqual({});
    expect(token).toMatch(/^[\w-]{43}$/);
    expect(Date.parse(expiresAt ?? '') - begun - 86_400_000).toBeGreaterThanOrEqual(0);
    expect(Date.parse(expiresAt ?? '') - Date.now() - 86_400_000).toBeLessThanOrEqual(0);
    const [event] = await eventsOfRequest(server, id);
    expect(event).toMatchObject({ action: 'createPasswordReset', target: { kind: 'user', _id, name: email } });
    const database = await server.database();
    const stored = [await database.collection('users').findOne({ email }), event];
    expect(JSON.stringify(stored)).not.toContain(token);
  });

  it('rejects your own user', async () => {
    const me = (await server.asSuperAdmin('get', '/auth/me')).body as { data: { _id: string } };
    expect(expectError(await requestToken(me.data._id), 40303).message).toBe('Change your own password instead');
  });
});

describe('POST /auth/password-reset', () => {
  it('sets the password once, ends all sessions, and is audited as an action of the user', async () => {
    const { _id, email, password, token } = await createAdminWithToken();
    const session = await server.login(email, password);
    const renewed = newPassword();
    const { call, id } = withRequestId(reset(token, renewed));
    await call.expect(200, { message: 'Password set' });
    expectError(await getMe(session), 40102);
    expectError(await loginFrom(server, freshAddress(), email, password), 40102);
    await server.login(email, renewed);
    const actor = { kind: 'user', _id, email, role: 'organizationAdmin' };
    expect(await eventsOfRequest(server, id)).toMatchObject([
      { action: 'resetPassword', outcome: 'success', actor, target: { kind: 'user', _id } },
    ]);
    expectError(await reset(token, newPassword()), 40104);
  });

  it('lets exactly one of two concurrent requests with a token succeed', async () => {
    const { email, token } = await createAdminWithToken();
    const passwords = [newPassword(), newPassword()];
    const responses = await Promise.all(passwords.map((password) => reset(token, password)));
    expect(responses.map(({ status }) => status).sort()).toEqual([200, 401]);
    for (const [index, password] of passwords.entries())
      expect((await loginFrom(server, freshAddress(), email, password)).status).toBe(responses[index]?.status);
  });

  it('keeps the second factor', async () => {
    const { email, password, token } = await createAdminWithToken();
    const { secret } = await enrol(server, await server.login(email, password), password);
    const renewed = newPassword();
    await reset(token, renewed).expect(200);
    expectError(await loginFrom(server, freshAddress(), email, renewed), 40103);
    const login = { email, password: renewed, code: codeOf(secret) };
    await server.call('post', '/auth/login').send(login).expect(200);
  });

  it.each<[string, (admin: TestAdmin) => Promise<unknown>]>([
    ['is replaced', ({ _id }) => createToken(_id)],
    ['has expired', ({ email }) => expire(email)],
    ['is that of a disabled user', ({ _id }) => updateUser(server, _id, { disabled: true }).expect(200)],
    ['is that of a user who was disabled', ({ _id }) => disableAndEnable(_id)],
    ['is older than the password', (admin) => changePassword(admin)],
  ])('rejects a token that %s', async (_what, end) => {
    const { token, ...admin } = await createAdminWithToken();
    await end(admin);
    expectError(await reset(token, newPassword()), 40104);
  });

  it('is limited after 30 wrong tokens from a network, together with logins', async () => {
    const { email, password, token } = await createAdminWithToken();
    const address = freshAddress();
    for (let attempt = 0; attempt < 30; attempt++)
      expectError(await reset(`wrong ${attempt}`, newPassword(), address), 40104);
    expectError(await reset(token, newPassword(), address), 42902);
    expectError(await loginFrom(server, address, email, password), 42902);
    await reset(token, newPassword()).expect(200);
  });
});

async function expire(email: string): Promise<void> {
  const users = (await server.database()).collection('users');
  await users.updateOne({ email }, { $set: { 'passwordReset.expiresAt': new Date(Date.now() - 1) } });
}

async function disableAndEnable(id: string): Promise<void> {
  for (const disabled of [true, false]) await updateUser(server, id, { disabled }).expect(200);
}

async function changePassword({ email, password }: TestAdmin): Promise<void> {
  const session = await server.login(email, password);
  const body = { currentPassword: password, newPassword: newPassword() };
  await callWithToken(server, session, 'post', '/auth/password').send(body).expect(200);
}
