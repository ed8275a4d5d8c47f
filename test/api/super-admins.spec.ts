import { randomUUID } from 'node:crypto';
import { callWithToken, resetPasswordFrom } from '../support/admins.js';
import { changesOf } from '../support/stored-events.js';
import { freshAddress } from '../support/fresh-address.js';
import { createOrganization } from '../support/organization.js';
import { RunningServer, superAdmin } from '../support/server.js';

interface NewSuperAdmin {
  _id: string;
  email: string;
  passwordReset: { token: string; expiresAt: string };
}

const server = RunningServer.forTests();

const newUser = () => ({ name: 'Robin Vale', email: `${randomUUID()}@example.com` });
const create = (body: object) => server.asSuperAdmin('post', '/users').send(body);

describe('POST /users', () => {
  it('creates a super admin, who sets a password with the token, and is audited without it', async () => {
    const user = newUser();
    const response = await create(user);
    expect(response.status).toBe(201);
    const { _id, passwordReset, ...rest } = response.body as NewSuperAdmin;
    const common = { role: 'superAdmin', disabled: false, hasSecondFactor: false };
    expect(rest).toEqual({ ...user, ...common, createdAt: expect.any(String) as string });
    const [event] = await changesOf(server, _id);
    expect(event).toMatchObject({ action: 'createSuperAdmin', actor: { email: superAdmin.email }, changes: user });
    expect(JSON.stringify(event)).not.toContain(passwordReset.token);

    const newPassword = `new ${randomUUID()}`;
    await resetPasswordFrom(server, freshAddress(), { token: passwordReset.token, newPassword }).expect(200);
    const token = await server.login(user.email, newPassword);
    await callWithToken(server, token, 'get', '/users').expect(200);
  });
});

describe('GET /users?role=', () => {
  it('lists the users with a role, in order of creation, and with the search', async () => {
    await createOrganization(server);
    const [first, second] = [newUser(), newUser()];
    for (const user of [first, second]) await create(user).expect(201);
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
