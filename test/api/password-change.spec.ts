import { randomUUID } from 'node:crypto';
import {
  createOrganizationAdmin,
  callWithToken,
  changePasswordFrom,
  loginFrom,
  decodeToken,
} from '../support/admins.js';
import { expectFieldError, expectError } from '../support/expectations.js';
import { freshAddress } from '../support/fresh-address.js';
import { createOrganization } from '../support/organization.js';
import { cheapHashes, preload } from '../support/preload.js';
import { RunningServer, superAdmin } from '../support/server.js';

const wrong = 'not the password';

let server: RunningServer;

beforeAll(async () => {
  server = await RunningServer.shared();
});

afterAll(() => server.stop());

const newPassword = () => `new ${randomUUID()}`;
const use = (token: string) => callWithToken(server, token, 'get', '/auth/me');

async function anAdmin() {
  const admin = await createOrganizationAdmin(await createOrganization(server));
  return { ...admin, token: await server.login(admin.email, admin.password) };
}

const change = (token: string, body: object, address = freshAddress()) =>
  changePasswordFrom(server, address, token, body);

describe('POST /auth/password', () => {
  it('answers as a login does, with a token that works', async () => {
    const { _id, token, password } = await anAdmin();
    const response = await change(token, { currentPassword: password, newPassword: newPassword() });

    expect(response.status).toBe(200);
    const { accessToken, ...rest } = response.body as { accessToken: string };
    expect(rest).toEqual({ tokenType: 'Bearer', expiresIn: 3600 });
    expect(decodeToken(accessToken).payload['sub']).toBe(_id);
    await use(accessToken).expect(200);
  });

  it('replaces the password: the new one logs in, the old one does not', async () => {
    const { email, token, password } = await anAdmin();
    const renewed = newPassword();
    await change(token, { currentPassword: password, newPassword: renewed }).expect(200);
    await server.login(email, renewed);
    expectError(await loginFrom(server, freshAddress(), email, password), 40102);
  });

  it('makes every earlier token of the user dead, of this login and of others', async () => {
    const { email, token, password } = await anAdmin();
    const elsewhere = await server.login(email, password);
    await change(token, { currentPassword: password, newPassword: newPassword() }).expect(200);
    expectError(await use(token), 40102);
    expectError(await use(elsewhere), 40102);
  });

  it('is for every role: creators and super admins change theirs too', async () => {
    const own = await RunningServer.start(preload(cheapHashes));
    const { creator } = await createOrganization(own);
    for (const { email, password } of [creator, superAdmin]) {
      const token = await own.login(email, password);
      const renewed = newPassword();
      const body = { currentPassword: password, newPassword: renewed };
      await callWithToken(own, token, 'post', '/auth/password').send(body).expect(200);
      await own.login(email, renewed);
    }
    await own.stop();
  });

  it('is not for who sends no token, or an integration key', async () => {
    const { key } = await createOrganization(server);
    const body = { currentPassword: wrong, newPassword: newPassword() };
    expectError(await server.call('post', '/auth/password').send(body), 40102);
    expectError(await change(key.apiKey, body), 40102);
  });

  it('refuses a wrong current password with a message of its own, and changes nothing', async () => {
    const { email, token, password } = await anAdmin();
    const renewed = newPassword();
    const response = await change(token, { currentPassword: wrong, newPassword: renewed });
    expect(expectError(response, 40102).message).toBe('The current password is wrong');
    expect(response.headers['www-authenticate']).toBe('Bearer');
    await use(token).expect(200);
    await server.login(email, password);
    expectError(await loginFrom(server, freshAddress(), email, renewed), 40102);
  });

  it.each<[string, object, string]>([
    ['no current password', { currentPassword: undefined }, 'currentPassword'],
    ['a current password that is null', { currentPassword: null }, 'currentPassword'],
    ['a current password that is an object', { currentPassword: { $ne: '' } }, 'currentPassword'],
    ['no new password', { newPassword: undefined }, 'newPassword'],
    ['a new password of 7 characters', { newPassword: '1234567' }, 'newPassword'],
    ['a new password of 201 characters', { newPassword: '🏈'.repeat(201) }, 'newPassword'],
    ['a new password that is a number', { newPassword: 12345678 }, 'newPassword'],
    ['a new password with a newline', { newPassword: 'two\nlines here' }, 'newPassword'],
    ['the email', { email: superAdmin.email }, 'email'],
  ])('refuses %s, naming the field, and changes nothing', async (_what, fields, field) => {
    const { token, password } = await anAdmin();
    const body = { currentPassword: password, newPassword: newPassword(), ...fields };
    expectFieldError(await change(token, body), field);
    await use(token).expect(200);
  });

  it('refuses the current password as the new one, naming newPassword', async () => {
    const { token, password } = await anAdmin();
    expectFieldError(await change(token, { currentPassword: password, newPassword: password }), 'newPassword');
    await use(token).expect(200);
  });

  it('lets one of several changes at once through, whole; the others are refused as no login', async () => {
    for (let round = 0; round < 3; round++) {
      const { email, token, password } = await anAdmin();
      const passwords = Array.from({ length: 4 }, newPassword);
      const responses = await Promise.all(
        passwords.map((renewed) => change(token, { currentPassword: password, newPassword: renewed })),
      );
      expect(responses.map(({ status }) => status).sort()).toEqual([200, 401, 401, 401]);
      for (const [index, response] of responses.entries()) {
        const login = await loginFrom(server, freshAddress(), email, passwords[index] ?? '');
        expect(login.status).toBe(response.status);
        if (response.status === 200) await use((response.body as { accessToken: string }).accessToken).expect(200);
        else expectError(response, 40102);
      }
    }
  });

  it('never writes a password to the log, and stores an argon2id hash only', async () => {
    const { email, token, password } = await anAdmin();
    const renewed = newPassword();
    await change(token, { currentPassword: password, newPassword: renewed }).expect(200);
    const database = await server.database();
    const user = await database.collection('users').findOne({ email });
    expect(user?.['passwordHash']).toMatch(/^\$argon2id\$/);
    const events = await database.collection('auditEvents').find().toArray();
    for (const text of [server.log, JSON.stringify(user), JSON.stringify(events)]) {
      expect(text).not.toContain(renewed);
      expect(text).not.toContain(password);
    }
  });
});
