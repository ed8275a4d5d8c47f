import type { Model } from 'mongoose';
import { auditEventModel, type AuditEventRecord } from '../../src/modules/audit/audit-event.schema.js';
import { AuditEventsRepository } from '../../src/modules/audit/audit-events.repository.js';
import { TestApplication } from '../support/application.js';
import { buildAuditEvent } from '../support/audit.js';

let application: TestApplication;
let model: Model<AuditEventRecord>;

beforeAll(async () => {
  application = await TestApplication.start();
  model = application.connection.model<AuditEventRecord>(auditEventModel);
});

afterAll(() => application.stop());

const changed = { action: 'login' };

const read = ({ _id }: AuditEventRecord) => model.findById(_id).orFail().exec();

/** Every Mongoose method that changes or deletes. */
const ways: [string, (event: AuditEventRecord) => Promise<unknown>][] = [
  ['updateOne', ({ _id }) => model.updateOne({ _id }, changed).exec()],
  ['updateMany', ({ _id }) => model.updateMany({ _id }, changed).exec()],
  ['replaceOne', ({ _id, ...event }) => model.replaceOne({ _id }, { ...event, ...changed }).exec()],
  ['findOneAndUpdate', ({ _id }) => model.findOneAndUpdate({ _id }, changed).exec()],
  ['findByIdAndUpdate', ({ _id }) => model.findByIdAndUpdate(_id, changed).exec()],
  ['findOneAndReplace', ({ _id, ...event }) => model.findOneAndReplace({ _id }, { ...event, ...changed }).exec()],
  ['deleteOne', ({ _id }) => model.deleteOne({ _id }).exec()],
  ['deleteMany', ({ _id }) => model.deleteMany({ _id }).exec()],
  ['findOneAndDelete', ({ _id }) => model.findOneAndDelete({ _id }).exec()],
  ['findByIdAndDelete', ({ _id }) => model.findByIdAndDelete(_id).exec()],
  ['an upsert', ({ _id }) => model.updateOne({ _id }, changed, { upsert: true }).exec()],
  ['bulkWrite', ({ _id }) => model.bulkWrite([{ updateOne: { filter: { _id }, update: { $set: changed } } }])],
  ['bulkWrite of deletions', ({ _id }) => model.bulkWrite([{ deleteOne: { filter: { _id } } }])],
  ['bulkSave', async (event) => model.bulkSave([(await read(event)).set(changed)])],
  ['save of a read document', async (event) => (await read(event)).set(changed).save()],
  ['updateOne of a read document', async (event) => (await read(event)).updateOne(changed).exec() as Promise<unknown>],
  [
    'replaceOne of a read document',
    async (event) => (await read(event)).replaceOne(changed).exec() as Promise<unknown>,
  ],
  ['deleteOne of a read document', async (event) => (await read(event)).deleteOne().exec()],
];

describe('an audit event', () => {
  it.each(ways)('cannot be changed or deleted: %s', async (_name, change) => {
    const event = buildAuditEvent();
    await application.get(AuditEventsRepository).insert(event);
    await expect(change(event)).rejects.toThrow('append-only');
    expect(await model.findById(event._id).lean().exec()).toEqual(event);
  });

  it('cannot be written twice with one ID', async () => {
    const event = buildAuditEvent();
    await application.get(AuditEventsRepository).insert(event);
    await expect(application.get(AuditEventsRepository).insert(Object.assign({}, event, changed))).rejects.toThrow(
      '_id_',
    );
    expect(await model.findById(event._id).lean().exec()).toEqual(event);
  });

  it('has a repository that only inserts and reads', () => {
    expect(Object.getOwnPropertyNames(AuditEventsRepository.prototype).sort()).toEqual([
      'constructor',
      'findNewest',
      'insert',
    ]);
  });
});
