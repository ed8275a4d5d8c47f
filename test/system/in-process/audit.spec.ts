import type { Model } from 'mongoose';
import { newRecordId, type RecordId } from '../../../src/database/record.js';
import { AuditEventRecord, auditEventSchema } from '../../../src/modules/audit/audit-event.schema.js';
import { AuditEventsRepository } from '../../../src/modules/audit/audit-events.repository.js';
import { TestApplication, FixedClock } from '../../support/application.js';
import { buildAuditEvent } from '../../support/audit.js';
import { AuditTrail, type Change } from '../../../src/modules/audit/audit-trail.js';
import { type AdminContext, type Actor, unconditional } from '../../../src/access/request-context.js';

const admin: AdminContext = {
  user: { id: String(newRecordId()), name: 'Dana', email: 'dana@example.com', role: 'superAdmin' },
  requestId: 'request-1',
  address: '203.0.113.7',
  ...unconditional,
};

const application = TestApplication.forTests(new FixedClock());
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

  describe('an audit event', () => {
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
