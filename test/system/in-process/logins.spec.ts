import { randomUUID } from 'node:crypto';
import { AuthService } from '../../../src/modules/auth/auth.service.js';
import { toAdmin, TokensService } from '../../../src/modules/auth/tokens.service.js';
import { type AdminContext, unconditional } from '../../../src/access/request-context.js';
import { SecretHasher } from '../../../src/access/secret-hasher.js';
import { OrganizationsService } from '../../../src/modules/organizations/organizations.service.js';
import { UsersService } from '../../../src/modules/users/users.service.js';
import { TestApplication } from '../../support/application.js';
import { captureCommands } from '../../support/explained.js';

const operator = { system: 'cli', ...unconditional } as const;
const password = 'correct horse battery';

const application = TestApplication.forTests();
let auth: AuthService;
let users: UsersService;
let addresses = 0;

beforeAll(() => {
  auth = application.get(AuthService);
  users = application.get(UsersService);
});

const freshAddress = () => `198.51.100.${++addresses}`;

async function createOrganization() {
  const creator = { name: 'Dana Reyes', email: `${randomUUID()}@example.com`, password };
  const { _id } = await application.get(OrganizationsService).create(operator, { name: 'Hawks Club', creator });
  return { id: _id, creator: await users.getByEmail(creator.email) };
}

/** How many passwords are verified while `work` runs, even if it fails. */
async function countVerifications(work: () => Promise<unknown>): Promise<number> {
  const checks = jest.spyOn(application.get(SecretHasher), 'verifyPassword');
  await work().catch(() => undefined);
  const { length } = checks.mock.calls;
  checks.mockRestore();
  return length;
}

describe('a login verifies exactly one password, so that its duration reveals nothing:', () => {
  const ways: [string, () => Promise<{ email: string; password: string }>][] = [
    ['with the right password', async () => ({ email: (await createOrganization()).creator.email, password })],
    ['with a wrong password', async () => ({ email: (await createOrganization()).creator.email, password: 'wrong' })],
    ['for an unknown email', () => Promise.resolve({ email: `${randomUUID()}@example.com`, password })],
    [
      'for a disabled user',
      async () => {
        const { creator } = await createOrganization();
        await users.disable(operator, String(creator._id));
        return { email: creator.email, password };
      },
    ],
    [
      'for a user of a disabled organization',
      async () => {
        const { id, creator } = await createOrganization();
        await application.get(OrganizationsService).update(operator, id, { disabled: true });
        return { email: creator.email, password };
      },
    ],
  ];

  it.each(ways)('%s', async (_how, make) => {
    const login = await make();
    expect(
      await countVerifications(() => auth.login({ requestId: 'login-0001', address: freshAddress() }, login)),
    ).toBe(1);
  });
});

describe('the queue of a password check', () => {
  /** Returns the queues of the password checks that `work` causes, even if it fails. */
  async function queuesDuring(work: () => Promise<unknown>): Promise<unknown[]> {
    const checks = jest.spyOn(application.get(SecretHasher), 'verifyPassword');
    await work().catch(() => undefined);
    const queues = checks.mock.calls.map(([, , queue]) => queue);
    checks.mockRestore();
    return queues;
  }

  const context = (address: string) => ({ requestId: 'login-0003', address });
  const login = (address: string, email: string, presented = password) =>
    auth.login(context(address), { email, password: presented });
  const address = '2001:db8:7:7::1';

  it('is `knownNetwork` once the user has logged in from that network', async () => {
    const { creator } = await createOrganization();
    const queues = await queuesDuring(async () => {
      await login(address, creator.email);
      await login('2001:db8:7:7:ffff::2', creator.email);
      await login('2001:db8:7:7:ffff::3', creator.email, 'wrong').catch(() => undefined);
      await login('2001:db8:7:8::1', creator.email);
    });
    expect(queues).toEqual(['newNetwork', 'knownNetwork', 'knownNetwork', 'newNetwork']);
  });

  it('is `newNetwork` for a disabled user, even from a known network', async () => {
    const { creator } = await createOrganization();
    await login(address, creator.email);
    await users.disable(operator, String(creator._id));
    expect(await queuesDuring(() => login(address, creator.email))).toEqual(['newNetwork']);
  });

  it('is `admins` for the current password of a user with a token', async () => {
    const { creator } = await createOrganization();
    const user = { id: String(creator._id), name: creator.name, email: creator.email, role: creator.role };
    const change = { currentPassword: password, newPassword: 'staple battery correct horse' };
    const changed = () => auth.changePassword({ user, ...context(address), ...unconditional }, change);
    expect(await queuesDuring(changed)).toEqual(['admins']);
  });
});

describe("the networks of a user's logins", () => {
  const login = (address: string, email: string) =>
    auth.login({ requestId: 'login-0004', address }, { email, password });
  const stored = async (id: string) => (await users.get(id)).recentLogins ?? [];

  it('are stored newest first, at most 20, each with its last login', async () => {
    const { creator } = await createOrganization();
    const id = String(creator._id);
    for (let network = 1; network <= 22; network++) await login(`2001:db8:9:${network}::1`, creator.email);
    const networks = (await stored(id)).map(({ network }) => network);
    expect(networks).toEqual(Array.from({ length: 20 }, (_, index) => `2001:db8:9:${22 - index}::/64`));
  });

  it('are updated by each login and removed after 30 days, without changing updatedAt', async () => {
    const { creator } = await createOrganization();
    const id = String(creator._id);
    const [home, old] = ['198.51.100.250', '198.51.100.251'];
    const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000);
    const collection = application.connection.collection('users');
    const logins = [
      { network: home, at: daysAgo(1.1) },
      { network: old, at: daysAgo(31) },
    ];
    await collection.updateOne({ _id: creator._id }, { $set: { recentLogins: logins } });
    const { updatedAt } = await users.get(id);
    await login(home, creator.email);
    const [again, ...others] = await stored(id);
    expect([again?.network, others]).toEqual([home, []]);
    expect(Number(again?.at)).toBeGreaterThan(Number(daysAgo(1)));
    expect((await users.get(id)).updatedAt).toEqual(updatedAt);
  });

  it('are both stored for two concurrent logins', async () => {
    const { creator } = await createOrganization();
    const networks = ['198.51.100.252', '198.51.100.253'];
    await Promise.all(networks.map((network) => login(network, creator.email)));
    expect((await stored(String(creator._id))).map(({ network }) => network).sort()).toEqual(networks);
  });

  it('are not stored for rejected logins', async () => {
    const { creator } = await createOrganization();
    const wrong = { email: creator.email, password: 'wrong' };
    await auth.login({ requestId: 'login-0005', address: freshAddress() }, wrong).catch(() => undefined);
    expect(await users.get(String(creator._id))).not.toHaveProperty('recentLogins');
  });
});

describe('a rate-limited login', () => {
  it('verifies no password', async () => {
    const email = `${randomUUID()}@example.com`;
    const context = { requestId: 'login-0002', address: freshAddress() };
    const login = () => auth.login(context, { email, password }).catch(() => undefined);
    for (let attempt = 0; attempt < 10; attempt++) await login();
    expect(await countVerifications(login)).toBe(0);
  });
});

describe('a token', () => {
  it('costs one query for a super admin, and a second one for the organization of its creator', async () => {
    const { creator } = await createOrganization();
    const login = { name: 'Root', email: `${randomUUID()}@example.com`, password };
    const { user: root } = await users.createSuperAdmin(operator, login);
    const tokens = application.get(TokensService);
    const queriesOf = async (token: string) => {
      const commands = await captureCommands(application.connection, () => tokens.authenticate(token));
      return commands.map((command) => String(command['find'] ?? command['aggregate']));
    };
    expect(await queriesOf((await tokens.issue(root)).accessToken)).toEqual(['users']);
    expect(await queriesOf((await tokens.issue(creator)).accessToken)).toEqual(['users', 'organizations']);
    expect(await queriesOf('no token')).toEqual([]);
  });
});

describe('a password change', () => {
  const contextOf = (id: string, email: string): AdminContext => ({
    user: { id, name: 'Dana Reyes', email, role: 'organizationCreator' },
    requestId: 'a request',
    address: freshAddress(),
    ...unconditional,
  });

  it.each([
    ['the user was disabled after the current password', (id: string) => users.disable(operator, id)],
    ['the password was changed after it', (id: string) => users.resetPassword(operator, id, 'the one that counts')],
  ])('is rejected if %s was verified', async (_case, change) => {
    const { creator } = await createOrganization();
    const id = String(creator._id);
    await change(id);
    const changed = await users.get(id);
    const late = users.changePassword(contextOf(id, creator.email), creator, 'another password');
    await expect(late).rejects.toMatchObject({ entry: { code: 40102 } });
    expect(await users.get(id)).toEqual(changed);
  });
});

it('a token belongs to a known caller only between its first use and its first rejection', async () => {
  const { creator } = await createOrganization();
  const tokens = application.get(TokensService);
  const { accessToken: token } = await tokens.issue(creator);
  const known = () => tokens.peekCaller(token);
  const id = String(creator._id);
  expect([known(), (await tokens.authenticate(token))?.id, known()]).toEqual([undefined, id, id]);
  await users.disable(operator, id);
  expect([await tokens.authenticate(token), known()]).toEqual([null, undefined]);
});

describe('two super admins who disable each other at once', () => {
  it('do not both succeed: the other one is disabled by then', async () => {
    const create = async () => {
      const fields = { name: 'Robin Vale', email: `${randomUUID()}@example.com`, password };
      const user = toAdmin((await users.createSuperAdmin(operator, fields)).user);
      return { user, requestId: 'a request', address: '192.0.2.1', ...unconditional };
    };
    for (let round = 0; round < 5; round++) {
      const [one, other] = [await create(), await create()];
      const results = await Promise.allSettled([
        users.update(one, other.user.id, { disabled: true }),
        users.update(other, one.user.id, { disabled: true }),
      ]);
      const rejections = results.filter((result) => result.status === 'rejected');
      expect(rejections).toMatchObject([{ reason: { entry: { code: 40102 } } }]);
      const stored = await Promise.all([one, other].map(({ user }) => users.get(user.id)));
      expect(stored.filter(({ disabledAt }) => disabledAt !== undefined)).toHaveLength(1);
    }
  });
});
