import { randomUUID } from 'node:crypto';
import type { Model } from 'mongoose';
import { type AdminContext, type Actor, unconditional } from '../../../src/access/request-context.js';
import { parseConfiguration } from '../../../src/config/configuration.js';
import { newRecordId, type RecordId } from '../../../src/database/record.js';
import { AuditEventRecord, auditEventSchema } from '../../../src/modules/audit/audit-event.schema.js';
import { AuditEventsRepository } from '../../../src/modules/audit/audit-events.repository.js';
import { AuditTrail, type Change } from '../../../src/modules/audit/audit-trail.js';
import { AuthService } from '../../../src/modules/auth/auth.service.js';
import { toAdmin } from '../../../src/modules/auth/tokens.service.js';
import { SecondFactorService } from '../../../src/modules/users/second-factor.service.js';
import { UsersRepository } from '../../../src/modules/users/users.repository.js';
import { UsersService } from '../../../src/modules/users/users.service.js';
import { TestApplication, FixedClock } from '../../support/application.js';
import { buildAuditEvent } from '../../support/audit.js';
import { codeOf, secondFactorKey, wrongCodeOf } from '../../support/second-factor.js';

const clock = new FixedClock();
const application = TestApplication.forTests(clock);

describe('the audit has', () => {
  const admin: AdminContext = {
    user: { id: String(newRecordId()), name: 'Dana', email: 'dana@example.com', role: 'superAdmin' },
    requestId: 'request-1',
    address: '203.0.113.7',
    ...unconditional,
  };

  let trail: AuditTrail;

  beforeAll(() => {
    trail = application.get(AuditTrail);
  });

  /** A change of a new organization. */
  const newChange = (fields: Pick<Change, 'changes'> = {}) => {
    const organizationId = String(newRecordId());
    return { action: 'updateOrganization', id: organizationId, organizationId, ...fields } as const;
  };
  const eventsOf = async ({ organizationId }: { organizationId: string }): Promise<AuditEventRecord[]> =>
    (await application.get(AuditEventsRepository).findNewest({ organizationId }, { page: 1, limit: 100 })).data;
  const record = (actor: Actor, change: Change) => trail.recordWith(actor, change, () => Promise.resolve());

  describe('a change', () => {
    interface Counted {
      _id: string;
      count: number;
    }
    const counters = () => application.connection.collection<Counted>('counters');

    /** Records a change that increments a counter; returns how often both were stored, and the error. */
    async function count(change: ReturnType<typeof newChange>, mayWrite: (count: number) => boolean = () => true) {
      const _id = String(newRecordId());
      await counters().insertOne({ _id, count: 0 });
      let checks = 0;
      const assertMayWrite = () => (mayWrite(++checks) ? Promise.resolve() : Promise.reject(new Error('revoked')));
      const counting = trail.recordWith({ ...admin, assertMayWrite }, change, (session) =>
        counters().updateOne({ _id }, { $inc: { count: 1 } }, { session }),
      );
      const error = await counting.then(
        () => undefined,
        (reason: unknown) => (reason as Error).message,
      );
      return { counted: (await counters().findOne({ _id }))?.count, events: (await eventsOf(change)).length, error };
    }

    it.each(['cli', 'server'] as const)('by the %s has no address and request', async (system) => {
      const change = newChange();
      await record({ system, ...unconditional }, change);
      const [event] = await eventsOf(change);
      expect(event?.actor).toEqual({ kind: system });
      expect(Object.keys(event ?? {})).not.toEqual(expect.arrayContaining(['address', 'requestId', 'changes']));
    });

    it('and its event are stored together, or neither if the event fails or access ends before the commit', async () => {
      expect(await count(newChange())).toEqual({ counted: 1, events: 1, error: undefined });
      const untilCommit = (checks: number) => checks < 2;
      expect(await count(newChange(), untilCommit)).toEqual({ counted: 0, events: 0, error: 'revoked' });
      jest.spyOn(application.get(AuditEventsRepository), 'insert').mockRejectedValueOnce(new Error('no event'));
      expect(await count(newChange())).toEqual({ counted: 0, events: 0, error: 'no event' });
    });

    it('that contains a secret is rejected', async () => {
      const { counted, events, error } = await count(newChange({ changes: { to: { secretHash: 'x' } } }));
      expect([counted, events, error]).toEqual([0, 0, expect.stringContaining('looks like a secret')]);
    });
  });

  describe('a rejected login', () => {
    const rejectedLogin = (user: { _id: RecordId; email: string; organizationId?: RecordId } | null) => {
      const context = { address: '203.0.113.7', requestId: String(newRecordId()) };
      return { context, findUser: () => Promise.resolve(user) };
    };
    const newest = async () =>
      (await application.get(AuditEventsRepository).findNewest({}, { page: 1, limit: 1 })).data[0];

    it('of a super admin has no organization', async () => {
      const { context, findUser } = rejectedLogin({ _id: newRecordId(), email: 'sam@example.com' });
      await trail.recordRejectedLogin(context, findUser);
      expect(await newest()).toMatchObject({ requestId: context.requestId });
      expect(await newest()).not.toHaveProperty('organizationId');
    });

    it('is not recorded if no user has the email, or the database fails', async () => {
      const before = await newest();
      const { context, findUser } = rejectedLogin(null);
      await trail.recordRejectedLogin(context, findUser);
      await trail.recordRejectedLogin(context, () => Promise.reject(new Error('unreachable')));
      expect(await newest()).toEqual(before);
    });

    it('is recorded before the server stops', async () => {
      const user = { _id: newRecordId(), email: 'sam@example.com', organizationId: newRecordId() };
      const { context, findUser } = rejectedLogin(user);
      void trail.recordRejectedLogin(context, findUser);
      await trail.onApplicationShutdown();
      expect(await eventsOf({ organizationId: String(user.organizationId) })).toHaveLength(1);
    });
  });

  describe('an event', () => {
    let model: Model<AuditEventRecord>;

    beforeAll(() => {
      model = application.connection.model<AuditEventRecord>(AuditEventRecord.name);
    });

    const changed = { action: 'login' };

    /** Each field of an event with another value. */
    const updates: Record<string, unknown> = {
      ...changed,
      _id: newRecordId(),
      at: new Date(0),
      outcome: 'failure',
      error: 40102,
      actor: { kind: 'server' },
      organizationId: newRecordId(),
      target: { kind: 'user', _id: newRecordId() },
      changes: { name: 'Another' },
      previous: { name: 'Yet another' },
      address: '203.0.113.7',
      requestId: 'another',
    };

    const storeEvent = async (): Promise<AuditEventRecord> => {
      const event = buildAuditEvent();
      await application.get(AuditEventsRepository).insert(event);
      return event;
    };

    it('has no field that this test omits', () => {
      expect(Object.keys(updates).sort()).toEqual(Object.keys(auditEventSchema.paths).sort());
    });

    // MongoDB itself keeps an `_id`.
    const others = Object.entries(updates).filter(([field]) => field !== '_id');
    it.each(others)('rejects an update of %s', async (field, value) => {
      const event = await storeEvent();
      const filter = { _id: event._id, organizationId: event.organizationId } as object;
      for (const update of [{ $set: { [field]: value } }, { $unset: { [field]: 1 } }, { $max: { [field]: value } }]) {
        await expect(model.findOneAndUpdate(filter, update).lean()).rejects.toThrow('immutable');
        await expect(model.bulkWrite([{ updateOne: { filter, update } }])).rejects.toThrow('immutable');
      }
      expect(await model.findOne(filter).lean()).toEqual(event);
    });

    it('rejects an update of a part of a field', async () => {
      const update = { $set: { 'actor.kind': 'server' } };
      const filter = { organizationId: newRecordId() };
      await expect(model.findOneAndUpdate(filter, update).lean()).rejects.toThrow('immutable');
    });
  });
});

const password = 'correct horse battery';
const step = 30_000;

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
