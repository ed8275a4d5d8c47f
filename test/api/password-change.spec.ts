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
import { RunningServer } from '../support/server.js';

const wrong = 'not the password';

const server = RunningServer.forTests();

const newPassword = () => `new ${randomUUID()}`;
const getMe = (token: string) => callWithToken(server, token, 'get', '/auth/me');

async function createAdminWithToken() {
  const admin = await createOrganizationAdmin(await createOrganization(server));
  return { ...admin, token: await server.login(admin.email, admin.password) };
}

const change = (token: string, body: object, address = freshAddress()) =>
  changePasswordFrom(server, address, token, body);

describe('POST /auth/password', () => {
  it('returns a working token, like a login', async () => {
    const { _id, token, password } = await createAdminWithToken();
    const response = await change(token, { currentPassword: password, newPassword: newPassword() });

    expect(response.status).toBe(200);
    const { accessToken, ...rest } = response.body as { accessToken: string };
    expect(rest).toEqual({ tokenType: 'Bearer', expiresIn: 3600 });
    expect(decodeToken(accessToken).payload['sub']).toBe(_id);
    await getMe(accessToken).expect(200);
  });

  it('invalidates all earlier tokens of the user', async () => {
    const { email, token, password } = await createAdminWithToken();
    const otherToken = await server.login(email, password);
    await change(token, { currentPassword: password, newPassword: newPassword() }).expect(200);
    expectError(await getMe(token), 40102);
    expectError(await getMe(otherToken), 40102);
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
