import { AuditEventsRepository } from '../../../src/modules/audit/audit-events.repository.js';
import type { AuditEventRecord } from '../../../src/modules/audit/audit-event.schema.js';
import { AuditTrail, type Change } from '../../../src/modules/audit/audit-trail.js';
import { type AdminContext, type Actor, unconditional } from '../../../src/common/context/request-context.js';
import { newRecordId, type RecordId, toRecordId } from '../../../src/database/record.js';
import { Transactions } from '../../../src/database/transaction.js';
import { FixedClock, TestApplication } from '../../support/application.js';

interface Counted {
  _id: string;
  count: number;
}

const clock = new FixedClock();
const admin: AdminContext = {
  user: { id: String(newRecordId()), name: 'Dana', email: 'dana@example.com', role: 'superAdmin' },
  requestId: 'request-1',
  address: '203.0.113.7',
  ...unconditional,
};

let application: TestApplication;
let trail: AuditTrail;
let transactions: Transactions;

beforeAll(async () => {
  application = await TestApplication.start(clock);
  trail = application.get(AuditTrail);
  transactions = application.get(Transactions);
});

afterAll(() => application.stop());

/** A change of a new organization. */
const newChange = (fields: Pick<Partial<Change>, 'action' | 'changes'> = {}) => {
  const organizationId = String(newRecordId());
  const target = { kind: 'organization', id: organizationId } as const;
  return { action: 'updateOrganization', target, organizationId, ...fields };
};
const eventsOf = async ({ organizationId }: { organizationId: string }): Promise<AuditEventRecord[]> =>
  (await application.get(AuditEventsRepository).findNewest({ organizationId }, { page: 1, limit: 100 })).data;
const record = (actor: Actor, change: Change) =>
  transactions.run(unconditional, (session) => trail.recordChange(actor, change, session));

describe('recordChange', () => {
  const counters = () => application.connection.collection<Counted>('counters');

  /** Changes a counter and records the change, as services do. */
  const changeWithRecord = (counter: string, change: Change) =>
    transactions.run(unconditional, async (session) => {
      await counters().updateOne({ _id: counter }, { $inc: { count: 1 } }, { session });
      await trail.recordChange(admin, change, session);
    });
  const createCounter = async (): Promise<string> => {
    const _id = String(newRecordId());
    await counters().insertOne({ _id, count: 0 });
    return _id;
  };
  const countOf = async (_id: string) => (await counters().findOne({ _id }))?.count;

  it('stores actor, action, organization, time, address and request', async () => {
    const change = newChange({ changes: { name: { from: 'A', to: 'B' }, disabledAt: null } });
    await record(admin, change);
    expect(await eventsOf(change)).toEqual([
      {
        _id: expect.anything() as unknown,
        at: clock.now(),
        action: 'updateOrganization',
        outcome: 'done',
        actor: { kind: 'user', _id: toRecordId(admin.user.id), email: 'dana@example.com', role: 'superAdmin' },
        organizationId: toRecordId(change.organizationId),
        target: { kind: 'organization', _id: toRecordId(change.organizationId) },
        changes: { name: { from: 'A', to: 'B' }, disabledAt: null },
        address: '203.0.113.7',
        requestId: 'request-1',
      },
    ]);
  });

  it.each(['operator', 'server'] as const)('stores the %s as an actor without address and request', async (system) => {
    const change = newChange();
    await record({ system, ...unconditional }, change);
    const [event] = await eventsOf(change);
    expect(event?.actor).toEqual({ kind: system });
    expect(Object.keys(event ?? {})).not.toEqual(expect.arrayContaining(['address', 'requestId', 'changes']));
  });

  it('commits with the change', async () => {
    const [counter, change] = [await createCounter(), newChange()];
    await changeWithRecord(counter, change);
    expect([await countOf(counter), (await eventsOf(change)).length]).toEqual([1, 1]);
  });

  it('is rolled back with the change if the work fails afterwards', async () => {
    const [counter, change] = [await createCounter(), newChange()];
    const failing = transactions.run(unconditional, async (session) => {
      await counters().updateOne({ _id: counter }, { $inc: { count: 1 } }, { session });
      await trail.recordChange(admin, change, session);
      throw new Error('broken');
    });
    await expect(failing).rejects.toThrow('broken');
    expect([await countOf(counter), (await eventsOf(change)).length]).toEqual([0, 0]);
  });

  it('rolls back the change if the event cannot be written', async () => {
    const [counter, change] = [await createCounter(), newChange({ action: '' })];
    await expect(changeWithRecord(counter, change)).rejects.toThrow('action');
    expect([await countOf(counter), (await eventsOf(change)).length]).toEqual([0, 0]);
  });

  it('is not visible before the change is', async () => {
    const [counter, change] = [await createCounter(), newChange()];
    let visible: number | undefined;
    await transactions.run(unconditional, async (session) => {
      await counters().updateOne({ _id: counter }, { $inc: { count: 1 } }, { session });
      await trail.recordChange(admin, change, session);
      visible = (await eventsOf(change)).length;
    });
    expect([visible, (await eventsOf(change)).length]).toEqual([0, 1]);
  });

  it('records once if a write conflict repeats the work', async () => {
    const [counter, change] = [await createCounter(), newChange()];
    const other = application.connection.getClient().startSession();
    other.startTransaction();
    await counters().updateOne({ _id: counter }, { $inc: { count: 100 } }, { session: other });
    let attempts = 0;
    await transactions.run(unconditional, async (session) => {
      if (++attempts === 2) await other.abortTransaction();
      await trail.recordChange(admin, change, session);
      await counters().updateOne({ _id: counter }, { $inc: { count: 1 } }, { session });
    });
    await other.endSession();
    expect(attempts).toBe(2);
    expect([await countOf(counter), (await eventsOf(change)).length]).toEqual([1, 1]);
  });

  it.each<[string, Record<string, unknown>]>([
    ['a password', { password: 'x' }],
    ['a hash', { to: { secretHash: 'x' } }],
  ])('rejects %s in the changes, and rolls back', async (_what, changes) => {
    const [counter, change] = [await createCounter(), newChange({ changes })];
    await expect(changeWithRecord(counter, change)).rejects.toThrow('looks like a secret');
    expect([await countOf(counter), (await eventsOf(change)).length]).toEqual([0, 0]);
  });
});

describe('recordRejectedLogin', () => {
  const rejectedLogin = (user: { _id: RecordId; organizationId?: RecordId } | null) => {
    const context = { address: '203.0.113.7', requestId: String(newRecordId()) };
    return { context, findUser: () => Promise.resolve(user) };
  };
  const newest = async () =>
    (await application.get(AuditEventsRepository).findNewest({}, { page: 1, limit: 1 })).data[0];

  it('stores an anonymous actor, the user with that email, and no credentials', async () => {
    const user = { _id: newRecordId(), organizationId: newRecordId() };
    const { context, findUser } = rejectedLogin(user);
    await trail.recordRejectedLogin(context, findUser);
    expect(await eventsOf({ organizationId: String(user.organizationId) })).toEqual([
      {
        _id: expect.anything() as unknown,
        at: clock.now(),
        action: 'login',
        outcome: 'refused',
        error: 40102,
        actor: { kind: 'stranger' },
        organizationId: user.organizationId,
        target: { kind: 'user', _id: user._id },
        address: '203.0.113.7',
        requestId: context.requestId,
      },
    ]);
  });

  it('stores no organization for a super admin', async () => {
    const { context, findUser } = rejectedLogin({ _id: newRecordId() });
    await trail.recordRejectedLogin(context, findUser);
    expect(await newest()).toMatchObject({ requestId: context.requestId });
    expect(await newest()).not.toHaveProperty('organizationId');
  });

  it('stores nothing if no user has the email', async () => {
    const before = await newest();
    const { context, findUser } = rejectedLogin(null);
    await trail.recordRejectedLogin(context, findUser);
    expect(await newest()).toEqual(before);
  });

  it('does not fail if the database does', async () => {
    const { context } = rejectedLogin(null);
    await expect(
      trail.recordRejectedLogin(context, () => Promise.reject(new Error('unreachable'))),
    ).resolves.toBeUndefined();
  });

  it('finishes before the server stops', async () => {
    const user = { _id: newRecordId(), organizationId: newRecordId() };
    const { context, findUser } = rejectedLogin(user);
    void trail.recordRejectedLogin(context, findUser);
    await trail.onApplicationShutdown();
    expect(await eventsOf({ organizationId: String(user.organizationId) })).toHaveLength(1);
  });
});
