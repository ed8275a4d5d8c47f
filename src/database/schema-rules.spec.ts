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

describe('the rules of a schema for a new record', () => {
  it('let pass what is right, with and without what is optional', () => {
    const all = { kind: 'long', pages: 2, isOpen: false, deletedAt: null, more: { a: [1] }, mark: { name: 'x' } };
    expect(() => assertRecord(note, right())).not.toThrow();
    expect(() => assertRecord(note, { ...right(), ...all })).not.toThrow();
    expect(() => assertRecord(note, { ...right(), pages: undefined })).not.toThrow();
  });

  it.each([
    ['a field that it does not know', { other: 1 }, 'other is unknown'],
    ['a required field that is missing', { text: undefined }, 'text is required'],
    ['a required text that is empty', { text: '' }, 'text is required'],
    ['a required field that is null', { organizationId: null }, 'organizationId is required'],
    ['an id that is missing', { _id: undefined }, '_id is required'],
    ['the text of an id', { organizationId: String(newRecordId()) }, 'organizationId is not of type ObjectId'],
    ['a number as a text', { text: 1 }, 'text is not of type String'],
    ['the text of a time', { createdAt: '2027-05-01T10:00:00Z' }, 'createdAt is not of type Date'],
    ['no time', { createdAt: new Date(Number.NaN) }, 'createdAt is not of type Date'],
    ['no number', { pages: Number.NaN }, 'pages is not of type Number'],
    ['the text of a truth', { isOpen: 'false' }, 'isOpen is not of type Boolean'],
    ['what is none of the choices', { kind: 'middling' }, 'kind is not one of its choices'],
    ['a text for a list', { tags: 'a' }, 'tags is not of type Array'],
    ['a nested field that it does not know', { mark: { name: 'x', other: 1 } }, 'mark other is unknown'],
    ['a nested field that is missing', { mark: {} }, 'mark name is required'],
  ])('refuse %s', (_, wrong, problem) => {
    expect(() => assertRecord(note, { ...right(), ...wrong })).toThrow(`A record of Note: ${problem}`);
  });
});

describe('the rules of a schema for a filter', () => {
  it.each([
    ['a text for an id', { organizationId: String(newRecordId()) }],
    ['a text among ids', { organizationId: { $in: [newRecordId(), String(newRecordId())] } }],
    ['a text for a time', { $and: [{ createdAt: { $gt: '2027-05-01T00:00:00Z' } }] }],
    ['no value', { text: undefined }],
  ])('refuse %s', (_, filter) => {
    expect(() => assertFilter(note, filter)).toThrow('A filter of Note');
  });

  it('let pass known fields, parts of them and conditions of such', () => {
    const filter = { text: 'a', 'mark.name': 'x', $or: [{ pages: 1 }, { $and: [{ kind: 'long' }] }] };
    expect(() => assertFilter(note, filter)).not.toThrow();
  });

  it.each([
    ['of its own', { other: 1 }],
    ['in an $or', { $or: [{ text: 'a' }, { other: 1 }] }],
    ['in a $nor of an $and', { $and: [{ $nor: [{ other: 1 }] }] }],
    ['of a part', { 'other.name': 1 }],
    ['that is an operator', { $where: 'true' }],
  ])('refuse an unknown name %s', (_, filter) => {
    expect(() => assertFilter(note, filter)).toThrow(/names .+, which Note does not have/);
  });
});

describe('the rules of a schema for an update', () => {
  it('let pass what sets and unsets fields', () => {
    expect(() => assertUpdate(note, { $set: { text: 'b', deletedAt: null }, $unset: { mark: 1 } })).not.toThrow();
  });

  it.each([
    ['an unknown field', { $set: { other: 1 } }],
    ['an unknown field to be removed', { $unset: { other: 1 } }],
    ['the organization', { $set: { organizationId: newRecordId() } }],
    ['the removal of the organization', { $unset: { organizationId: 1 } }],
    ['the id', { $set: { _id: newRecordId() } }],
    ['a value of another type', { $set: { text: 1 } }],
    ['what is required, as null', { $set: { text: null } }],
    ['the removal of what is required', { $unset: { text: 1 } }],
    ['another operator', { $rename: { text: 'kind' } }],
    ['no operator', { text: 'b' }],
  ])('refuse %s', (_, update) => {
    expect(() => assertUpdate(note, update)).toThrow();
  });

  it('are those of the model that is asked about', () => {
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
