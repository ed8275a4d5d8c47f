import { newRecordId, organizationFields, recordSchema, storedFields } from './record.js';
import { type CheckedModel, assertFilter, assertUpdate } from './schema-rules.js';

const note: CheckedModel = {
  modelName: 'Note',
  collection: {},
  schema: recordSchema('notes', {
    ...organizationFields,
    text: { type: String },
    kind: { type: String },
    pages: { type: Number },
    deletedAt: { type: Date },
    mark: { type: 'Mixed' },
  }),
};

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
    const other: CheckedModel = { modelName: 'Other', collection: {}, schema: recordSchema('others', storedFields) };
    expect(() => assertUpdate(other, { $set: { text: 'b' } })).toThrow(
      'An update names text, which Other does not have',
    );
  });
});

describe('recordSchema', () => {
  it('does not compile with an option that would have no effect', () => {
    // @ts-expect-error Mongoose would check the minimum, but the driver writes the records
    expect(recordSchema('others', { ...storedFields, field: { type: Number, min: 1 } })).toBeDefined();
  });
});
