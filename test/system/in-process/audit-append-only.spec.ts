import type { Model } from 'mongoose';
import { findOneAndUpdateRecord, updateUncachedFields } from '../../../src/database/operations.js';
import { newRecordId } from '../../../src/database/record.js';
import {
  auditEventModel,
  auditEventSchema,
  type AuditEventRecord,
} from '../../../src/modules/audit/audit-event.schema.js';
import { AuditEventsRepository } from '../../../src/modules/audit/audit-events.repository.js';
import { TestApplication } from '../../support/application.js';
import { buildAuditEvent } from '../../support/audit.js';

const application = TestApplication.forTests();
let model: Model<AuditEventRecord>;

beforeAll(() => {
  model = application.connection.model<AuditEventRecord>(auditEventModel);
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

  it.each(Object.entries(updates))('rejects an update of %s', async (field, value) => {
    const event = await storeEvent();
    const filter = { _id: event._id };
    for (const update of [{ $set: { [field]: value } }, { $unset: { [field]: 1 } }, { $max: { [field]: value } }]) {
      const error = `An update changes ${field}, which is immutable in AuditEvent`;
      await expect(findOneAndUpdateRecord(model, filter, update, { projection: {} })).rejects.toThrow(error);
      await expect(updateUncachedFields(model, [{ filter, update }])).rejects.toThrow(error);
    }
    expect(await model.findById(event._id).lean().exec()).toEqual(event);
  });

  it('rejects an update of a part of a field', async () => {
    const update = { $set: { 'actor.kind': 'server' } };
    await expect(findOneAndUpdateRecord(model, {}, update, { projection: {} })).rejects.toThrow('immutable');
  });
});
