import { randomUUID } from 'node:crypto';
import { callWithToken, createOrganizationAdmin, resetPasswordFrom, updateUser } from '../support/admins.js';
import { freshAddress } from '../support/fresh-address.js';
import { createOrganization } from '../support/organization.js';
import { RunningServer } from '../support/server.js';

const server = RunningServer.forTests();

const userBody = (fields: object = {}) => ({
  name: 'Dana Reyes',
  email: `${randomUUID()}@example.com`,
  password: 'correct horse battery',
  ...fields,
});

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
      const newPassword = `new ${randomUUID()}`;
      const reset = { token: passwordReset.token, newPassword };
      await resetPasswordFrom(server, freshAddress(), reset).expect(200);
      await server.login(email, newPassword);
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
