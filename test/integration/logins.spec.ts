import { randomUUID } from 'node:crypto';
import { AuthService } from '../../src/auth/auth.service.js';
import { TokensService } from '../../src/auth/tokens.service.js';
import type { AdminContext } from '../../src/common/context/request-context.js';
import { SecretHasher } from '../../src/common/secrets/secret-hasher.js';
import { OrganizationsService } from '../../src/organizations/organizations.service.js';
import { PasswordsService } from '../../src/users/passwords.service.js';
import { SuperAdminsService } from '../../src/users/super-admins.service.js';
import { UsersService } from '../../src/users/users.service.js';
import { TestApplication } from '../support/application.js';
import { commandsOf } from '../support/explained.js';

const operator = { system: 'operator' } as const;
const password = 'correct horse battery';

let application: TestApplication;
let auth: AuthService;
let users: UsersService;
let addresses = 0;

beforeAll(async () => {
  application = await TestApplication.start();
  auth = application.get(AuthService);
  users = application.get(UsersService);
});

afterAll(() => application.stop());

const freshAddress = () => `198.51.100.${++addresses}`;

async function anOrganization() {
  const creator = { name: 'Dana Reyes', email: `${randomUUID()}@example.com`, password };
  const { _id } = await application.get(OrganizationsService).create(operator, { name: 'Hawks Club', creator });
  return { id: _id, creator: await users.getByEmail(creator.email) };
}

/** How many passwords are compared with a hash while something is done, whatever becomes of it. */
async function checksDuring(work: () => Promise<unknown>): Promise<number> {
  const checks = jest.spyOn(application.get(SecretHasher), 'verifyPassword');
  await work().catch(() => undefined);
  const { length } = checks.mock.calls;
  checks.mockRestore();
  return length;
}

describe('a login costs one check of a password, so that its time tells nothing,', () => {
  const ways: [string, () => Promise<{ email: string; password: string }>][] = [
    ['with the right password', async () => ({ email: (await anOrganization()).creator.email, password })],
    ['with a wrong one', async () => ({ email: (await anOrganization()).creator.email, password: 'wrong' })],
    ['for an email that nobody has', () => Promise.resolve({ email: `${randomUUID()}@example.com`, password })],
    [
      'for a disabled user',
      async () => {
        const { creator } = await anOrganization();
        await users.disable(operator, String(creator._id));
        return { email: creator.email, password };
      },
    ],
    [
      'for a user of a disabled organization',
      async () => {
        const { id, creator } = await anOrganization();
        await application.get(OrganizationsService).update(operator, id, { disabled: true });
        return { email: creator.email, password };
      },
    ],
  ];

  it.each(ways)('%s', async (_how, make) => {
    const login = await make();
    expect(await checksDuring(() => auth.login({ requestId: 'login-0001', address: freshAddress() }, login))).toBe(1);
  });
});

describe('a login that the limits refuse', () => {
  it('costs no check of a password', async () => {
    const email = `${randomUUID()}@example.com`;
    const context = { requestId: 'login-0002', address: freshAddress() };
    const login = () => auth.login(context, { email, password }).catch(() => undefined);
    for (let attempt = 0; attempt < 10; attempt++) await login();
    expect(await checksDuring(login)).toBe(0);
  });
});

describe('a token', () => {
  it('costs one read for a super admin, and a second one, of the organization, for its creator', async () => {
    const { creator } = await anOrganization();
    const login = { name: 'Root', email: `${randomUUID()}@example.com`, password };
    const root = await application.get(SuperAdminsService).create(operator, login);
    const tokens = application.get(TokensService);
    const readsFor = async (token: string) => {
      const commands = await commandsOf(application.connection, () => tokens.identify(token));
      return commands.map((command) => String(command['find']));
    };
    expect(await readsFor(await tokens.issue(root))).toEqual(['users']);
    expect(await readsFor(await tokens.issue(creator))).toEqual(['users', 'organizations']);
    expect(await readsFor('no token')).toEqual([]);
  });
});

describe('a change of the password', () => {
  const contextOf = (id: string, email: string): AdminContext => ({
    user: { id, name: 'Dana Reyes', email, role: 'organizationCreator' },
    requestId: 'a request',
    address: freshAddress(),
  });

  it('is refused, with nothing changed, where the user was disabled since the current password was looked at', async () => {
    const { creator } = await anOrganization();
    const id = String(creator._id);
    await users.disable(operator, id);
    const disabled = await users.get(id);
    const change = application.get(PasswordsService).change(contextOf(id, creator.email), creator, 'another password');
    await expect(change).rejects.toMatchObject({ entry: { code: 40102 } });
    expect(await users.get(id)).toEqual(disabled);
  });

  it('is refused, with nothing changed, where the password was changed since it was looked at', async () => {
    const { creator } = await anOrganization();
    const id = String(creator._id);
    await application.get(PasswordsService).reset(operator, id, 'the one that counts');
    const reset = await users.get(id);
    const change = application.get(PasswordsService).change(contextOf(id, creator.email), creator, 'another password');
    await expect(change).rejects.toMatchObject({ entry: { code: 40102 } });
    expect(await users.get(id)).toEqual(reset);
  });

  it('costs one check of a password', async () => {
    const { creator } = await anOrganization();
    const input = { currentPassword: password, newPassword: 'another password' };
    const change = () => auth.changePassword(contextOf(String(creator._id), creator.email), input);
    expect(await checksDuring(change)).toBe(1);
  });
});
