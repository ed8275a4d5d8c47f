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

let server: RunningServer;

beforeAll(async () => {
  server = await RunningServer.shared();
});

afterAll(() => server.stop());

const anAdmin = async () => createOrganizationAdmin(await createOrganization(server));
const use = (token: string) => callWithToken(server, token, 'get', '/auth/me');

async function disableAndEnable({ _id }: TestAdmin): Promise<void> {
  await updateUser(server, _id, { disabled: true }).expect(200);
  await updateUser(server, _id, { disabled: false }).expect(200);
}

/** A token as a login gives it, but for some claims; undefined leaves a claim out. */
async function aToken(admin: TestAdmin, claims: object): Promise<string> {
  const { payload } = decodeToken(await server.login(admin.email, admin.password));
  return signToken({ ...payload, ...claims }, jwtSecret);
}

describe('a token from before its user was disabled', () => {
  it('is dead while the user is disabled, and stays dead when they are enabled', async () => {
    const admin = await anAdmin();
    const token = await server.login(admin.email, admin.password);
    await use(token).expect(200);

    await updateUser(server, admin._id, { disabled: true }).expect(200);
    expectError(await use(token), 40102);

    await updateUser(server, admin._id, { disabled: false }).expect(200);
    expectError(await use(token), 40102);
    await use(await server.login(admin.email, admin.password)).expect(200);
  });

  it('stays dead through a second disabling', async () => {
    const admin = await anAdmin();
    const tokens: string[] = [];
    for (let time = 0; time < 2; time++) {
      tokens.push(await server.login(admin.email, admin.password));
      await disableAndEnable(admin);
    }
    for (const token of tokens) expectError(await use(token), 40102);
  });

  it('is dead for its user alone', async () => {
    const [admin, other] = [await anAdmin(), await anAdmin()];
    const token = await server.login(other.email, other.password);
    await disableAndEnable(admin);
    await use(token).expect(200);
  });
});

describe('the generation of a token', () => {
  it.each([
    ['left out, as before there were generations', { generation: undefined }],
    ['zero', { generation: 0 }],
  ])('is right for a user whose tokens were never ended where it is %s', async (_what, claims) => {
    await use(await aToken(await anAdmin(), claims)).expect(200);
  });

  it.each([
    ['left out', { generation: undefined }],
    ['the one before', { generation: 0 }],
    ['one to come', { generation: 2 }],
    ['a text', { generation: '1' }],
    ['a list', { generation: [1] }],
    ['null', { generation: null }],
    ['true', { generation: true }],
  ])('is wrong for a user whose tokens were ended once where it is %s', async (_what, claims) => {
    const admin = await anAdmin();
    await disableAndEnable(admin);
    await use(await aToken(admin, {})).expect(200);
    expectError(await use(await aToken(admin, claims)), 40102);
  });
});
