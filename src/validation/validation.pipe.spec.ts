import { MaxLength } from 'class-validator';
import { errorCatalogue } from '../errors/error-catalogue.js';
import { invalidFieldsOf, rejectionOf, validated } from '../../test/support/validated.js';
import { field } from './field.js';
import { BooleanField, NestedField, TextField } from './fields.js';
import { RequiresOneOf } from './requires-one-of.js';
import { Rule } from './rules.js';
import { InputValidationPipe } from './validation.pipe.js';
import { validationOptions } from './validation.options.js';

const options = { description: 'A field.' };

class Thing {
  @TextField({ ...options, max: 5 })
  text?: string;

  @BooleanField(options)
  flag?: boolean;
}

class PlainThing {
  @field(options, { schema: { type: String } }, MaxLength(3))
  text?: string;
}

class RequiredThing {
  @TextField({ ...options, max: 5, required: true })
  text!: string;
}

@RequiresOneOf(['text', 'other'], 'opponentMissing')
class EitherThing extends Thing {
  @TextField({ ...options, max: 5 })
  other?: string;
}

/** Has a value of any shape and a nested object. */
class Large {
  @field(options, { schema: { type: Object } }, Rule('isNothing', () => 'must be right'))
  anything?: unknown;

  @NestedField({ type: Thing, description: 'A part.' })
  part?: Thing;
}

class CreateLarge {
  @NestedField({ type: Thing, description: 'A part.', required: true })
  part!: Thing;
}

describe('the validation pipe', () => {
  it('returns an instance of the class with the sent fields only', async () => {
    const input = await validated(Thing, { text: 'a' });
    expect(input).toBeInstanceOf(Thing);
    expect(Object.keys(input)).toEqual(['text']);
    expect(Object.keys(await validated(Thing, {}))).toEqual([]);
  });

  it('rejects a missing required field', async () => {
    expect((await rejectionOf(RequiredThing, {}))?.message).toBe('text is required');
    expect((await rejectionOf(RequiredThing, { text: null }))?.message).toBe('text must not be null');
  });

  it('names every unknown field, in the order sent, and then every invalid one', async () => {
    const fields = await invalidFieldsOf(Thing, { text: 1, startTime: 1, flag: 'x', $set: {}, 'a.b': 1 });
    expect(fields?.slice(0, 3)).toEqual(['startTime', '$set', 'a.b']);
    expect(fields?.slice(3).sort()).toEqual(['flag', 'text']);
    const part = { zeta: 1, text: 1, alpha: 1 };
    expect(await invalidFieldsOf(Large, { part })).toEqual(['part.zeta', 'part.alpha', 'part.text']);
  });

  it.each(['__proto__', 'constructor', 'toString', 'prototype', 'hasOwnProperty'])(
    'names the key %s, which class-transformer drops, alone',
    async (key) => {
      expect(await invalidFieldsOf(Thing, JSON.parse(`{"${key}": {"text": "a"}, "unknown": 1}`))).toEqual([key]);
      expect(await invalidFieldsOf(Large, JSON.parse(`{"part": {"${key}": 1}}`))).toEqual([`part.${key}`]);
    },
  );

  it('names a prototype key at any depth of a value', async () => {
    const sent: unknown = JSON.parse(
      '{"anything": {"a": [{"prototype": {"b": 1}}], "constructor": "x", "toString": 1}}',
    );
    expect(await invalidFieldsOf(Large, sent)).toEqual(['anything.a[0].prototype', 'anything.constructor']);
  });

  it.each([undefined, null, 'Dana', [], 5])('names a required nested object once if it is %j', async (part) => {
    expect(await invalidFieldsOf(CreateLarge, { part })).toEqual(['part']);
  });

  it('quotes at most 60 characters of an unknown name', async () => {
    const { message, details } = (await rejectionOf(Thing, { ['n'.repeat(90_000)]: 1 })) ?? {};
    const field = `${'n'.repeat(60)}…`;
    expect(message).toBe(`${field} is not a known field`);
    expect(details).toEqual([{ field, message }]);
  });

  it('reports at most 50 problems', async () => {
    const many = Object.fromEntries(Array.from({ length: 80 }, (_, index) => [`field${index}`, 1]));
    expect(await invalidFieldsOf(Thing, many)).toHaveLength(50);
  });

  it.each([{}, { text: '' }, { text: null, other: '  ' }, { text: '\u200b', flag: 'wrong', unknown: 1 }])(
    'reports the separate error of @RequiresOneOf() before any other if neither field has a value: %j',
    async (body) => {
      expect((await rejectionOf(EitherThing, body))?.entry).toBe(errorCatalogue.opponentMissing);
    },
  );

  it('rejects a blank field beside a valid other one as an invalid field', async () => {
    expect(await validated(EitherThing, { other: 'a' })).toEqual({ other: 'a' });
    expect((await rejectionOf(EitherThing, { text: '', other: 'a' }))?.entry).toBe(errorCatalogue.invalidField);
  });

  it('calls an unknown query parameter a parameter', async () => {
    const read = new InputValidationPipe().transform({ sort: 'name' }, { type: 'query', metatype: Thing });
    await expect(read).rejects.toThrow('sort is not a known parameter');
  });

  it('does not change its input', async () => {
    const body = Object.freeze({ text: ' a ' });
    expect(await validated(Thing, body)).toEqual({ text: 'a' });
    expect(body).toEqual({ text: ' a ' });
  });

  it("names the field once in a message of class-validator's own", async () => {
    const message = 'text must be shorter than or equal to 3 characters';
    expect((await rejectionOf(PlainThing, { text: 'abcd' }))?.message).toBe(message);
  });

  it('throws for a class without fields, which would validate nothing', async () => {
    await expect(validated(class NoFields {}, {})).rejects.toThrow('NoFields declares no field');
  });

  it('converts no value to the type of its property, and stores only what was sent', () => {
    expect(validationOptions.transformOptions).toEqual({ exposeUnsetFields: false });
  });
});
