import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';
import { newRecordId, OrganizationIdField, type RecordId, storage, StoredRecord } from './record.js';
import { type CheckedModel, assertFilter, assertUpdate } from './schema-rules.js';

@Schema({ collection: 'notes', ...storage })
class Note extends StoredRecord {
  @OrganizationIdField('The organization of the note.') organizationId!: RecordId;
  @Prop({ type: String }) text!: string;
  @Prop({ type: String }) kind!: string;
  @Prop({ type: Number }) pages!: number;
  @Prop({ type: Date }) deletedAt!: Date | null;
  @Prop({ type: 'Mixed' }) mark!: object;
}

@Schema({ collection: 'others', ...storage })
class Other extends StoredRecord {}

const modelOf = (record: typeof Note | typeof Other): CheckedModel => ({
  modelName: record.name,
  collection: {},
  schema: SchemaFactory.createForClass(record),
});
const note = modelOf(Note);

describe('assertFilter', () => {
  it.each([
    ['a string for an ID', { organizationId: String(newRecordId()) }],
    ['a string among IDs', { organizationId: { $in: [newRecordId(), String(newRecordId())] } }],
    ['a string for a date', { $and: [{ createdAt: { $gt: '2027-05-01T00:00:00Z' } }] }],
    ['undefined', { text: undefined }],
  ])('rejects %s', (_, filter) => {
    expect(() => assertFilter(note, filter)).toThrow('A filter of Note');
  });

  it('accepts conditions on known fields and their parts', () => {
    const filter = { text: 'a', 'mark.name': 'x', $or: [{ pages: 1 }, { $and: [{ kind: 'long' }] }] };
    expect(() => assertFilter(note, filter)).not.toThrow();
  });

  it.each([
    ['at the top level', { other: 1 }],
    ['in an $or', { $or: [{ text: 'a' }, { other: 1 }] }],
    ['in a $nor of an $and', { $and: [{ $nor: [{ other: 1 }] }] }],
    ['with a path', { 'other.name': 1 }],
    ['that is an operator', { $where: 'true' }],
  ])('rejects an unknown name %s', (_, filter) => {
    expect(() => assertFilter(note, filter)).toThrow(/names .+, which Note does not have/);
  });
});

describe('assertUpdate', () => {
  it('accepts setting and unsetting fields', () => {
    expect(() => assertUpdate(note, { $set: { text: 'b', deletedAt: null }, $unset: { mark: 1 } })).not.toThrow();
  });

  it.each([
    ['an unknown field', { $set: { other: 1 } }],
    ['the removal of an unknown field', { $unset: { other: 1 } }],
    ['the organization', { $set: { organizationId: newRecordId() } }],
    ['the removal of the organization', { $unset: { organizationId: 1 } }],
    ['the ID', { $set: { _id: newRecordId() } }],
    ['another operator', { $rename: { text: 'kind' } }],
    ['no operator', { text: 'b' }],
  ])('rejects %s', (_, update) => {
    expect(() => assertUpdate(note, update)).toThrow();
  });

  it('applies the rules of the given model', () => {
    expect(() => assertUpdate(modelOf(Other), { $set: { text: 'b' } })).toThrow(
      'An update names text, which Other does not have',
    );
  });
});
