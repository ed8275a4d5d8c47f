import { randomUUID } from 'node:crypto';
import { createOrganizationAdmin, changePasswordFrom, loginFrom } from '../support/admins.js';
import { expectFieldError, expectError } from '../support/expectations.js';
import { freshAddress } from '../support/fresh-address.js';
import { createOrganization } from '../support/organization.js';
import { RunningServer } from '../support/server.js';

const wrong = 'not the password';

let server: RunningServer;

beforeAll(async () => {
  server = await RunningServer.start();
});

afterAll(() => server.stop());

const newPassword = () => `new ${randomUUID()}`;

async function anAdmin() {
  const admin = await createOrganizationAdmin(await createOrganization(server));
  return { ...admin, token: await server.login(admin.email, admin.password) };
}

const change = (token: string, body: object, address = freshAddress()) =>
  changePasswordFrom(server, address, token, body);

describe('wrong current passwords', () => {
  const fail = async (times: number, token: string, address: string) => {
    for (let attempt = 0; attempt < times; attempt++) {
      const body = { currentPassword: wrong, newPassword: newPassword() };
      expectError(await change(token, body, address), 40102);
    }
  };

  it('are rejected after ten from one address, even if correct, as are logins there, but not elsewhere', async () => {
    const { email, token, password } = await anAdmin();
    const address = freshAddress();
    await fail(10, token, address);
    const right = { currentPassword: password, newPassword: newPassword() };
    const limited = await change(token, right, address);
    expectError(limited, 42902);
    expect(Number(limited.headers['retry-after'])).toBeGreaterThan(0);
    expectError(await loginFrom(server, address, email, password), 42902);
    await change(token, right, freshAddress()).expect(200);
  });

  it('count together with failed logins', async () => {
    const { email, token, password } = await anAdmin();
    const address = freshAddress();
    for (let attempt = 0; attempt < 5; attempt++) {
      expectError(await loginFrom(server, address, email, wrong), 40102);
    }
    await fail(5, token, address);
    expectError(await change(token, { currentPassword: password, newPassword: newPassword() }, address), 42902);
  });

  it('do not include correct or malformed ones', async () => {
    const { token, password } = await anAdmin();
    const address = freshAddress();
    await fail(9, token, address);
    for (let attempt = 0; attempt < 3; attempt++) {
      const body = { currentPassword: password, newPassword: 'short' };
      expectFieldError(await change(token, body, address), 'newPassword');
    }
    const right = { currentPassword: password, newPassword: newPassword() };
    const { accessToken } = (await change(token, right, address).expect(200)).body as { accessToken: string };
    await fail(1, accessToken, address);
  });
});
