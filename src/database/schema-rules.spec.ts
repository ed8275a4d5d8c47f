import { newRecordId, organizationFields, recordSchema, storedFields } from './record.js';
import { type CheckedModel, assertFilter, assertRecord, assertSupported, assertUpdate } from './schema-rules.js';

const note: CheckedModel = {
  modelName: 'Note',
  collection: {},
  schema: recordSchema('notes', {
    ...organizationFields,
    text: { type: String, required: true },
    kind: { type: String, enum: ['short', 'long'] },
    tags: { type: [String], required: true },
    pages: { type: Number },
    isOpen: { type: Boolean },
    deletedAt: { type: Date },
    more: { type: 'Mixed' },
    mark: { type: { _id: false, name: { type: String, required: true } }, required: false },
  }),
};

const right = () => ({
  _id: newRecordId(),
  organizationId: newRecordId(),
  createdAt: new Date(),
  updatedAt: new Date(),
  text: 'a text',
  tags: ['a'],
});

describe('assertRecord', () => {
  it('accepts valid records, with and without optional fields', () => {
    const all = { kind: 'long', pages: 2, isOpen: false, deletedAt: null, more: { a: [1] }, mark: { name: 'x' } };
    expect(() => assertRecord(note, right())).not.toThrow();
    expect(() => assertRecord(note, { ...right(), ...all })).not.toThrow();
    expect(() => assertRecord(note, { ...right(), pages: undefined })).not.toThrow();
  });

  it.each([
    ['an unknown field', { other: 1 }, 'other is unknown'],
    ['a missing required field', { text: undefined }, 'text is required'],
    ['an empty required string', { text: '' }, 'text is required'],
    ['null in a required field', { organizationId: null }, 'organizationId is required'],
    ['a missing ID', { _id: undefined }, '_id is required'],
    ['a string instead of an ID', { organizationId: String(newRecordId()) }, 'organizationId is not of type ObjectId'],
    ['a number instead of a string', { text: 1 }, 'text is not of type String'],
    ['a string instead of a date', { createdAt: '2027-05-01T10:00:00Z' }, 'createdAt is not of type Date'],
    ['an invalid date', { createdAt: new Date(Number.NaN) }, 'createdAt is not of type Date'],
    ['NaN', { pages: Number.NaN }, 'pages is not of type Number'],
    ['a string instead of a boolean', { isOpen: 'false' }, 'isOpen is not of type Boolean'],
    ['a value outside the enum', { kind: 'middling' }, 'kind is not one of its choices'],
    ['a string instead of an array', { tags: 'a' }, 'tags is not of type Array'],
    ['an unknown nested field', { mark: { name: 'x', other: 1 } }, 'mark other is unknown'],
    ['a missing nested field', { mark: {} }, 'mark name is required'],
  ])('rejects %s', (_, wrong, problem) => {
    expect(() => assertRecord(note, { ...right(), ...wrong })).toThrow(`A record of Note: ${problem}`);
  });
});

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
    ['a value of another type', { $set: { text: 1 } }],
    ['null for a required field', { $set: { text: null } }],
    ['the removal of a required field', { $unset: { text: 1 } }],
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

describe('a schema', () => {
  it.each<[option: string, field: object]>([
    ['min', { type: Number, min: 1 }],
    ['max', { type: Number, max: 1 }],
    ['minlength', { type: String, minlength: 1 }],
    ['match', { type: String, match: /a/ }],
    ['default', { type: Number, default: 1 }],
    ['default', { type: Number, default: null }],
    ['validate', { type: Number, validate: () => true }],
    ['required', { type: Number, required: () => true }],
    ['required', { type: Number, required: [true, 'is missing'] }],
    ['enum', { type: String, enum: { values: ['a'], message: 'no' } }],
    ['lowercase', { type: String, lowercase: true }],
    ['trim', { type: [{ type: String, trim: true }] }],
    ['min', { type: { _id: false, pages: { type: Number, min: 1 } } }],
    ['min', { type: [{ _id: false, pages: { type: Number, min: 1 } }] }],
    ['unique', { type: String, unique: true }],
    ['select', { type: String, select: false }],
    ['alias', { type: String, alias: 'other' }],
  ])('that uses %s, which would have no effect, is rejected: %j', (option, field) => {
    const schema = recordSchema('others', { ...storedFields, field });
    expect(() => assertSupported({ modelName: 'Other', schema })).toThrow(`sets "${option}" for`);
  });

  it('with supported options is accepted', () => {
    expect(() => assertSupported(note)).not.toThrow();
  });
});
