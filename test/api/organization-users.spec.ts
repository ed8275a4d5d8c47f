import { randomUUID } from 'node:crypto';
import { callWithToken } from '../support/admins.js';
import { expectFieldError, expectError } from '../support/expectations.js';
import { createOrganization } from '../support/organization.js';
import { RunningServer } from '../support/server.js';

let server: RunningServer;

beforeAll(async () => {
  server = await RunningServer.shared();
});

afterAll(() => server.stop());

const userBody = (fields: object = {}) => ({
  name: 'Dana Reyes',
  email: `${randomUUID()}@example.com`,
  password: 'correct horse battery',
  ...fields,
});

const create = (body: object) => server.asSuperAdmin('post', '/organizations').send(body);
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
    });
    expect(createdAt).toMatch(/\.\d{3}Z$/);
    const token = await server.login(user.email, user.password);
    const me = await callWithToken(server, token, 'get', '/auth/me').expect(200);
    expect((me.body as { data: { _id: string } }).data._id).toBe(_id);
  });

  it('returns 40901 for an email that is taken, in this organization or another', async () => {
    const [one, other] = [await createOrganization(server), await createOrganization(server)];
    expectError(await createUser(one.id, userBody({ email: one.creator.email })), 40901);
    expectError(await createUser(other.id, userBody({ email: one.creator.email.toUpperCase() })), 40901);
  });

  it('creates only one of two concurrent users with the same email', async () => {
    const { id } = await createOrganization(server);
    const user = userBody();
    const responses = await Promise.all([createUser(id, user), createUser(id, user)]);
    expect(responses.map(({ status }) => status).sort()).toEqual([201, 409]);
  });

  it('returns 40406 for an unknown organization and 40001 for a malformed ID', async () => {
    expectError(await createUser('f'.repeat(24), userBody()), 40406);
    expectFieldError(await createUser('bay-area', userBody()), 'organizationId');
  });

  it.each([
    ['a role', { role: 'superAdmin' }, 'role'],
    ['another organization', { organizationId: 'f'.repeat(24) }, 'organizationId'],
    ['no name', { name: undefined }, 'name'],
    ['no email', { email: undefined }, 'email'],
  ])('rejects %s, naming the field', async (_what, fields, field) => {
    const { id } = await createOrganization(server);
    expectFieldError(await createUser(id, userBody(fields)), field);
  });
});

describe('a password', () => {
  const ways = [
    { way: 'of a creator', field: 'creator.password', send: (creator: object) => create({ name: 'A', creator }) },
    {
      way: 'of an admin',
      field: 'password',
      send: async (user: object) => createUser((await createOrganization(server)).id, user),
    },
  ];

  it.each(ways)('$way has 8 to 200 characters of any kind', async ({ field, send }) => {
    for (const wrong of ['', '1234567', 'x'.repeat(201), '🏈'.repeat(201), null, 12345678, ['12345678']]) {
      expectFieldError(await send(userBody({ password: wrong })), field);
    }
    for (const right of ['12345678', ' '.repeat(8), 'x'.repeat(200), '🏈'.repeat(200)]) {
      const user = userBody({ password: right });
      expect((await send(user)).status).toBe(201);
      await server.login(user.email, right);
    }
  });

  it.each(ways)('$way is stored only as an argon2id hash', async ({ send }) => {
    const user = userBody({ password: `pass-${randomUUID()}` });
    const response = await send(user);
    expect(response.status).toBe(201);
    expect(response.text).not.toMatch(/passw|argon2/i);
    const record = await (await server.database()).collection('users').findOne({ email: user.email });
    expect(record?.['passwordHash']).toMatch(/^\$argon2id\$/);
    expect(JSON.stringify(record)).not.toContain(user.password);
    expect(server.log).not.toContain(user.password);
  });
});
