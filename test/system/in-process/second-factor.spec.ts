import { randomUUID } from 'node:crypto';
import { type AdminContext, unconditional } from '../../../src/access/request-context.js';
import { parseConfiguration } from '../../../src/config/configuration.js';
import { AuthService } from '../../../src/modules/auth/auth.service.js';
import { toAdmin } from '../../../src/modules/auth/tokens.service.js';
import { SecondFactorService } from '../../../src/modules/users/second-factor.service.js';
import { UsersRepository } from '../../../src/modules/users/users.repository.js';
import { UsersService } from '../../../src/modules/users/users.service.js';
import { FixedClock, TestApplication } from '../../support/application.js';
import { codeOf, secondFactorKey, wrongCodeOf } from '../../support/second-factor.js';

const password = 'correct horse battery';
const step = 30_000;

const clock = new FixedClock();
const application = TestApplication.forTests(clock);
let addresses = 0;
const newContext = () => ({ requestId: 'login-0001', address: `198.51.100.${++addresses}` });

async function createAdmin(): Promise<AdminContext> {
  const login = { name: 'Dana Reyes', email: `${randomUUID()}@example.com`, password };
  const users = application.get(UsersService);
  const { user } = await users.createSuperAdmin({ system: 'cli', ...unconditional }, login);
  return { user: toAdmin(user), ...newContext(), ...unconditional };
}

/** Confirms a second factor of an admin, by default a new one. Its current code is used. */
async function createEnrolled(existing?: AdminContext) {
  const admin = existing ?? (await createAdmin());
  const { secret } = await application.get(SecondFactorService).create(admin);
  const { recoveryCodes } = await application.get(AuthService).confirmSecondFactor(admin, code(secret));
  const { email } = admin.user;
  const login = (sent?: string, context = newContext()) =>
    application.get(AuthService).login(context, { email, password, ...(sent !== undefined && { code: sent }) });
  return { admin, secret, recoveryCodes, login };
}

const code = (secret: string, steps = 0) => codeOf(secret, steps, clock.now());
const rejected = (error: number) => ({ entry: { code: error } });

describe('a code of a second factor', () => {
  it('works once: neither it nor an earlier one is accepted afterwards, but the next one is', async () => {
    const { secret, login } = await createEnrolled();
    await expect(login(code(secret))).rejects.toMatchObject(rejected(40103)); // used to confirm
    clock.advance(2 * step);
    await login(code(secret));
    await expect(login(code(secret))).rejects.toMatchObject(rejected(40103));
    await expect(login(code(secret, -1))).rejects.toMatchObject(rejected(40103));
    await login(code(secret, 1));
  });

  it.each(['app', 'recovery'])('of kind "%s" works for one of ten concurrent logins', async (kind) => {
    const { secret, recoveryCodes, login } = await createEnrolled();
    clock.advance(step);
    const sent = kind === 'app' ? code(secret) : (recoveryCodes[3] ?? '');
    const logins = await Promise.allSettled(Array.from({ length: 10 }, () => login(sent)));
    expect(logins.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });

  it('is replaced by each recovery code once, however it is typed', async () => {
    const { recoveryCodes, login } = await createEnrolled();
    const [first = '', second = ''] = recoveryCodes;
    await login(first.replaceAll('-', ' ').toLowerCase());
    await expect(login(first)).rejects.toMatchObject(rejected(40103));
    await login(second);
  });

  it('locks the login out after ten wrong ones, while a missing one is no failure', async () => {
    const { secret, login } = await createEnrolled();
    clock.advance(step);
    const context = newContext();
    for (let attempt = 0; attempt < 12; attempt++)
      await expect(login(undefined, context)).rejects.toMatchObject(rejected(40103));
    for (let attempt = 0; attempt < 10; attempt++)
      await expect(login(wrongCodeOf(secret, clock.now()), context)).rejects.toMatchObject(rejected(40103));
    await expect(login(code(secret), context)).rejects.toMatchObject(rejected(42902));
    await login(code(secret)); // from another network
  });

  it('locks the user out after 30 wrong ones from several networks until a reset, and nobody else', async () => {
    const [{ admin, secret, login }, other] = [await createEnrolled(), await createEnrolled()];
    clock.advance(step);
    const wrong = wrongCodeOf(secret, clock.now());
    for (let attempt = 0; attempt < 30; attempt++) await expect(login(wrong)).rejects.toMatchObject(rejected(40103));
    await expect(login(code(secret))).rejects.toMatchObject(rejected(42902));
    await other.login(code(other.secret));
    const user = await application.get(UsersService).get(admin.user.id);
    await application.get(SecondFactorService).remove({ system: 'cli', ...unconditional }, 'resetSecondFactor', user);
    const replaced = await createEnrolled(admin);
    clock.advance(step);
    await replaced.login(code(replaced.secret));
  });

  it('locks out confirming and deleting after ten wrong ones, or wrong passwords', async () => {
    const auth = application.get(AuthService);
    const [confirming, { admin, secret }] = [await createAdmin(), await createEnrolled()];
    const created = await application.get(SecondFactorService).create(confirming);
    clock.advance(step);
    const confirm = (sent: string) => auth.confirmSecondFactor(confirming, sent);
    const remove = (sent: string, given = password) => auth.deleteSecondFactor(admin, { password: given, code: sent });
    for (let attempt = 0; attempt < 10; attempt++) {
      await expect(confirm(wrongCodeOf(created.secret, clock.now()))).rejects.toMatchObject(rejected(40103));
      const isPassword = attempt % 2 === 0;
      const removal = isPassword ? remove(code(secret), 'wrong') : remove(wrongCodeOf(secret, clock.now()));
      await expect(removal).rejects.toMatchObject(rejected(isPassword ? 40102 : 40103));
    }
    await expect(confirm(code(created.secret))).rejects.toMatchObject(rejected(42902));
    await expect(remove(code(secret))).rejects.toMatchObject(rejected(42902));
  });

  it('confirms the secret only once, and not one that was replaced', async () => {
    const [auth, admin] = [application.get(AuthService), await createAdmin()];
    const replaced = await application.get(SecondFactorService).create(admin);
    const { secret } = await application.get(SecondFactorService).create(admin);
    await expect(auth.confirmSecondFactor(admin, code(replaced.secret))).rejects.toMatchObject(rejected(40103));
    const confirmations = [1, 2, 3].map(() => auth.confirmSecondFactor(admin, code(secret)));
    const results = await Promise.allSettled(confirmations);
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });
});

describe('a second factor', () => {
  it('is not removed by a request that was verified before it was confirmed', async () => {
    const [factors, users, admin] = [
      application.get(SecondFactorService),
      application.get(UsersService),
      await createAdmin(),
    ];
    const verified = await users.get(admin.user.id);
    const { secret } = await factors.create(admin);
    await application.get(AuthService).confirmSecondFactor(admin, code(secret));
    await expect(factors.remove(admin, 'deleteSecondFactor', verified)).rejects.toMatchObject(rejected(40102));
    expect((await users.get(admin.user.id)).secondFactor).toHaveProperty('confirmedAt');
  });

  it('is not confirmed by a user whose tokens end meanwhile', async () => {
    const [factors, users, admin] = [
      application.get(SecondFactorService),
      application.get(UsersService),
      await createAdmin(),
    ];
    const { secret } = await factors.create(admin);
    const read = await users.get(admin.user.id);
    jest.spyOn(users, 'get').mockImplementationOnce(async () => {
      await users.resetPassword({ system: 'cli', ...unconditional }, admin.user.id, `${password}, reset`);
      return read;
    });
    const confirmation = application.get(AuthService).confirmSecondFactor(admin, code(secret));
    await expect(confirmation).rejects.toMatchObject(rejected(40102));
    expect((await users.get(admin.user.id)).secondFactor).not.toHaveProperty('confirmedAt');
  });
});

describe('the key of second factors', () => {
  const [key, newKey] = [secondFactorKey, 'another key of at least 32 characters'];
  const production = { NODE_ENV: 'production', JWT_SECRET: 'x'.repeat(32), MONGODB_URI: 'mongodb://unused/unused' };
  const serviceWith = (variables: Record<string, string>) => {
    const configuration = parseConfiguration(variables);
    const [users, repository] = [application.get(UsersService), application.get(UsersRepository)];
    return new SecondFactorService(users, repository, configuration, clock);
  };
  const useCodeWith = async (service: SecondFactorService, { user: { id } }: AdminContext, sent: string) =>
    service.useCode(sent, await application.get(UsersService).get(id));

  it('is rotated at start: then only the new one is needed', async () => {
    const { admin, secret } = await createEnrolled();
    clock.advance(step);
    const rotated = serviceWith({ ...production, SECOND_FACTOR_KEY: newKey, SECOND_FACTOR_KEY_SECONDARY: key });
    await rotated.updateEncryption();
    const onlyNew = serviceWith({ ...production, SECOND_FACTOR_KEY: newKey });
    await onlyNew.updateEncryption();
    expect(await useCodeWith(onlyNew, admin, code(secret))).toBe(true);
    await serviceWith({ SECOND_FACTOR_KEY: key, SECOND_FACTOR_KEY_SECONDARY: newKey }).updateEncryption();
  });

  it.each([{}, { SECOND_FACTOR_KEY: newKey }])('is required at start in production (%j)', async (variables) => {
    const { admin, secret, recoveryCodes } = await createEnrolled();
    clock.advance(step);
    const start = serviceWith({ ...production, ...variables }).updateEncryption();
    await expect(start).rejects.toThrow(
      /^SECOND_FACTOR_KEY or SECOND_FACTOR_KEY_SECONDARY must be the key that encrypted .* of \d+ /,
    );
    const development = serviceWith({ MONGODB_URI: production.MONGODB_URI, ...variables });
    await development.updateEncryption();
    await expect(useCodeWith(development, admin, code(secret))).rejects.toMatchObject(rejected(40912));
    expect(await useCodeWith(development, admin, recoveryCodes[0] ?? '')).toBe(true);
  });

  it('is required to set one up', async () => {
    const service = serviceWith({ MONGODB_URI: production.MONGODB_URI });
    await expect(service.create(await createAdmin())).rejects.toMatchObject(rejected(40912));
  });
});
