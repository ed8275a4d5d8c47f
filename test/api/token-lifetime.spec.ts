import {
  createOrganizationAdmin,
  callWithToken,
  decodeToken,
  signToken,
  type TestAdmin,
  updateUser,
} from '../support/admins.js';
import { expectError } from '../support/expectations.js';
import { createOrganization } from '../support/organization.js';
import { jwtSecret, RunningServer } from '../support/server.js';

const server = RunningServer.forTests();

const createAdmin = async () => createOrganizationAdmin(await createOrganization(server));
const getMe = (token: string) => callWithToken(server, token, 'get', '/auth/me');

async function disableAndEnable({ _id }: TestAdmin): Promise<void> {
  await updateUser(server, _id, { disabled: true }).expect(200);
  await updateUser(server, _id, { disabled: false }).expect(200);
}

/** A token of a login with changed claims; undefined removes a claim. */
async function tokenWithClaims(admin: TestAdmin, claims: object): Promise<string> {
  const { payload } = decodeToken(await server.login(admin.email, admin.password));
  return signToken({ ...payload, ...claims }, jwtSecret);
}

describe('the generation of a token', () => {
  it.each([
    ['missing, as in older tokens', { generation: undefined }],
    ['zero', { generation: 0 }],
  ])('is accepted for a user whose tokens were never invalidated if it is %s', async (_what, claims) => {
    await getMe(await tokenWithClaims(await createAdmin(), claims)).expect(200);
  });

  it.each([
    ['missing', { generation: undefined }],
    ['the previous one', { generation: 0 }],
    ['a future one', { generation: 2 }],
    ['a string', { generation: '1' }],
  ])('is rejected for a user whose tokens were invalidated once if it is %s', async (_what, claims) => {
    const admin = await createAdmin();
    await disableAndEnable(admin);
    await getMe(await tokenWithClaims(admin, {})).expect(200);
    expectError(await getMe(await tokenWithClaims(admin, claims)), 40102);
  });
});
