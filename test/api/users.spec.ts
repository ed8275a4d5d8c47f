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
import { freshAddress } from '../support/fresh-address.js';
import { createOrganization } from '../support/organization.js';
import { codeOf, enrol } from '../support/second-factor.js';
import { RunningServer, superAdmin } from '../support/server.js';
import { changesOf } from '../support/stored-events.js';
import { ObjectId } from 'mongodb';
import { expectError } from '../support/expectations.js';

const server = RunningServer.forTests();

const userBody = (fields: object = {}) => ({
  name: 'Dana Reyes',
  email: `${randomUUID()}@example.com`,
  password: 'correct horse battery',
  ...fields,
});

const newPassword = () => `new ${randomUUID()}`;
const createUser = (organizationId: string, body: object) =>
  server.asSuperAdmin('post', `/organizations/${organizationId}/users`).send(body);

describe('POST /organizations/{organizationId}/users', () => {
  it('returns the new admin of the organization, who can log in', async () => {
    const { id } = await createOrganization(server);
    const user = userBody({ name: 'Sam Ortiz' });
    const response = await createUser(id, user);

    expect(response.status).toBe(201);
    const { _id, createdAt, ...rest } = response.body as { _id: string; createdAt: string };
    expect(rest).toEqual({
      name: 'Sam Ortiz',
      email: user.email,
      role: 'organizationAdmin',
      organizationId: id,
      disabled: false,
      hasSecondFactor: false,
    });
    expect(createdAt).toMatch(/\.\d{3}Z$/);
    const token = await server.login(user.email, user.password);
    const me = await callWithToken(server, token, 'get', '/auth/me').expect(200);
    expect((me.body as { data: { _id: string } }).data._id).toBe(_id);
  });

  it('returns a token with which a user without a password sets one, as POST /organizations does', async () => {
    const { id } = await createOrganization(server);
    const [user, creator] = [userBody({ password: undefined }), userBody({ password: undefined })];
    const organization = server.asSuperAdmin('post', '/organizations').send({ name: 'Hawks Club', creator });
    for (const [{ email }, call] of [
      [user, createUser(id, user)],
      [creator, organization],
    ] as const) {
      const { passwordReset } = (await call.expect(201)).body as { passwordReset: { token: string } };
      const password = newPassword();
      await reset(passwordReset.token, password).expect(200);
      await server.login(email, password);
    }
  });
});

describe('GET /organizations/{organizationId}/users', () => {
  const list = (id: string, query: object = {}) =>
    server.asSuperAdmin('get', `/organizations/${id}/users`).query(query);

  it('lists only the users of this organization by creation, as other routes return them', async () => {
    const [organization, other] = [await createOrganization(server), await createOrganization(server)];
    await createOrganizationAdmin(other);
    const admins = [await createOrganizationAdmin(organization), await createOrganizationAdmin(organization)];
    const ids = [organization.creator, ...admins].map(({ _id }) => _id);
    const response = await list(organization.id).expect(200);
    const { data, total } = response.body as { data: { _id: string; role: string }[]; total: number };
    expect(data.map(({ _id }) => _id)).toEqual(ids);
    expect(data.map(({ role }) => role)).toEqual(['organizationCreator', 'organizationAdmin', 'organizationAdmin']);
    expect(total).toBe(3);
    expect(data[1]).toEqual((await updateUser(server, ids[1] ?? '', {}).expect(200)).body);
    expect(response.text).not.toMatch(/passw|argon2|generation/i);
    expect((await list(organization.id, { limit: 2, page: 2 })).body).toEqual({ data: data.slice(2), total });
  });
});

describe('GET /users', () => {
  it('finds users of any role by a part of their name or email', async () => {
    const { id, creator } = await createOrganization(server);
    const user = userBody({ name: `Sam ${randomUUID()}` });
    await createUser(id, user).expect(201);
    const emailsOf = async (search: string) => {
      const response = await server.asSuperAdmin('get', '/users').query({ search }).expect(200);
      return (response.body as { data: { email: string }[] }).data.map(({ email }) => email);
    };
    expect(await emailsOf(user.name.slice(4).toUpperCase())).toEqual([user.email]);
    expect(await emailsOf(creator.email.split('@')[0] ?? '')).toEqual([creator.email]);
  });
});

interface NewSuperAdmin {
  _id: string;
  email: string;
  passwordReset: { token: string; expiresAt: string };
}

const newSuperAdmin = () => ({ name: 'Robin Vale', email: `${randomUUID()}@example.com` });
const createSuperAdmin = (body: object) => server.asSuperAdmin('post', '/users').send(body);

describe('POST /users', () => {
  it('creates a super admin, who sets a password with the token, and is audited without it', async () => {
    const user = newSuperAdmin();
    const response = await createSuperAdmin(user);
    expect(response.status).toBe(201);
    const { _id, passwordReset, ...rest } = response.body as NewSuperAdmin;
    const common = { role: 'superAdmin', disabled: false, hasSecondFactor: false };
    expect(rest).toEqual({ ...user, ...common, createdAt: expect.any(String) as string });
    const [event] = await changesOf(server, _id);
    expect(event).toMatchObject({ action: 'createSuperAdmin', actor: { email: superAdmin.email }, changes: user });
    expect(JSON.stringify(event)).not.toContain(passwordReset.token);

    const password = newPassword();
    await reset(passwordReset.token, password).expect(200);
    const token = await server.login(user.email, password);
    await callWithToken(server, token, 'get', '/users').expect(200);
  });
});

describe('GET /users?role=', () => {
  it('lists the users with a role, in order of creation, and with the search', async () => {
    await createOrganization(server);
    const [first, second] = [newSuperAdmin(), newSuperAdmin()];
    for (const user of [first, second]) await createSuperAdmin(user).expect(201);
    const list = async (query: object) => {
      const response = await server.asSuperAdmin('get', '/users').query({ limit: 100, ...query });
      return (response.body as { data: { email: string; role: string }[] }).data;
    };
    const listed = await list({ role: 'superAdmin' });
    expect(new Set(listed.map(({ role }) => role))).toEqual(new Set(['superAdmin']));
    expect(listed.slice(-2)).toMatchObject([first, second]);
    expect(await list({ role: 'superAdmin', search: first.email })).toMatchObject([first]);
    expect(await list({ role: 'organizationAdmin', search: first.email })).toEqual([]);
  });
});

const update = (id: string, body: object) => updateUser(server, id, body);
const createAdmin = async () => createOrganizationAdmin(await createOrganization(server));

async function stored(id: string): Promise<Record<string, unknown> | null> {
  return (await server.database()).collection('users').findOne({ _id: new ObjectId(id) });
}

describe('PATCH /users/{userId}', () => {
  it('renames a user, whose tokens stay valid', async () => {
    const admin = await createAdmin();
    const token = await server.login(admin.email, admin.password);
    const response = await update(admin._id, { name: ' Sam Reyes ' });

    expect(response.status).toBe(200);
    const me = await callWithToken(server, token, 'get', '/auth/me').expect(200);
    expect(response.body).toEqual((me.body as { data: object }).data);
    expect(response.body).toMatchObject({ _id: admin._id, name: 'Sam Reyes', email: admin.email, disabled: false });
  });

  it('disables and enables a user, restoring the previous response, while keys work', async () => {
    const organization = await createOrganization(server);
    const admin = await createOrganizationAdmin(organization);
    const before = (await update(admin._id, {}).expect(200)).body as object;
    const begun = Date.now();
    const disabled = (await update(admin._id, { disabled: true }).expect(200)).body as { disabledAt: string };

    expect(disabled).toEqual({ ...before, disabled: true, disabledAt: disabled.disabledAt });
    expect(Date.parse(disabled.disabledAt)).toBeGreaterThanOrEqual(begun);
    expect(Date.parse(disabled.disabledAt)).toBeLessThanOrEqual(Date.now());
    expectError(await loginFrom(server, '127.0.0.1', admin.email, admin.password), 40102);
    await organization.call('get', '/teams').expect(200);

    expect((await update(admin._id, { disabled: false }).expect(200)).body).toEqual(before);
    expect(await stored(admin._id)).not.toHaveProperty('disabledAt');
    await server.login(admin.email, admin.password);
  });

  it('rejects super admins who disable themselves, and changes nothing', async () => {
    const me = (await server.asSuperAdmin('get', '/auth/me')).body as { data: { _id: string; name: string } };
    const rejection = expectError(await update(me.data._id, { name: 'Gone', disabled: true }), 40303);
    expect(rejection.message).toBe('You cannot disable yourself');
    expect((await update(me.data._id.toUpperCase(), { disabled: true })).status).toBe(403);
    expect((await server.asSuperAdmin('get', '/auth/me').expect(200)).body).toEqual(me);
    await update(me.data._id, { disabled: false }).expect(200);
  });
});

const requestToken = (id: string) => server.asSuperAdmin('post', `/users/${id}/password-reset`);
const reset = (token: string, password: string, address = freshAddress()) =>
  resetPasswordFrom(server, address, { token, newPassword: password });
const getMe = (token: string) => callWithToken(server, token, 'get', '/auth/me');

async function createToken(id: string): Promise<string> {
  return ((await requestToken(id).expect(201)).body as { data: { token: string } }).data.token;
}

async function createAdminWithToken(): Promise<TestAdmin & { token: string }> {
  const admin = await createAdmin();
  return { ...admin, token: await createToken(admin._id) };
}

describe('POST /users/{userId}/password-reset', () => {
  it('returns a token for 24 hours, of which only a hash is stored, and is audited without it', async () => {
    const { _id, email } = await createAdmin();
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
    ['is that of a disabled user', ({ _id }) => update(_id, { disabled: true }).expect(200)],
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
  for (const disabled of [true, false]) await update(id, { disabled }).expect(200);
}

async function changePassword({ email, password }: TestAdmin): Promise<void> {
  const session = await server.login(email, password);
  const body = { currentPassword: password, newPassword: newPassword() };
  await callWithToken(server, session, 'post', '/auth/password').send(body).expect(200);
}
