import { ServiceError } from '../errors/service-error.js';
import { CreateDto, fieldNamesOf, jsonMapper, UpdateDto, withDefaults } from './dto.js';
import { RequiresOneOf } from './field.js';
import { ChoiceField, DateField, RecordIdField, TeamIdField, TextField } from './fields.js';
import { InputValidationPipe } from './validation.pipe.js';

const id = '6650f1f77bcf86cd79943911';

class Thing {
  @RecordIdField({ description: 'The id.', required: true })
  _id!: { toHexString(): string };

  @TextField({ description: 'A name.', max: 5, required: true })
  name!: string;

  @TextField({ description: 'A nickname.', max: 5, clearable: true })
  nickname?: string;

  @TextField({ description: 'A title.', max: 5, required: true })
  title!: string;

  @ChoiceField({ description: 'A kind.', choices: ['game', 'practice'], default: 'game' })
  kind!: string;

  @DateField({ description: 'The creation time.', example: '2027-05-01T10:00:00Z', required: true })
  createdAt!: Date;
}

@RequiresOneOf(['nickname'], 'opponentMissing')
class CreateThing extends CreateDto(Thing, { omit: [], optional: ['title'] }) {
  @TeamIdField({ description: 'A team.' })
  teamId?: string;
}

class UpdateThing extends UpdateDto(Thing, { omit: ['kind'], computed: ['title'] }) {}

const pipe = new InputValidationPipe();
const validate = (metatype: new () => object, body: object) => pipe.transform(body, { type: 'body', metatype });

function rejectionOf(metatype: new () => object, body: object): [code: number, message: string] | undefined {
  try {
    validate(metatype, body);
    return undefined;
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return [error.entry.code, error.message];
  }
}

describe('create and update requests', () => {
  it('apply the rules of the resource', () => {
    for (const type of [CreateThing, UpdateThing]) {
      const message = 'name must have at most 5 characters';
      expect(rejectionOf(type, { name: 'Jordan', nickname: 'Jo' })).toEqual([40001, message]);
      expect(rejectionOf(type, { name: null, nickname: 'Jo' })).toEqual([40001, 'name must not be null']);
    }
  });

  it('require fields and apply defaults on create only', () => {
    expect(rejectionOf(CreateThing, { nickname: 'Jo' })).toEqual([40001, 'name is required']);
    expect(validate(CreateThing, { name: 'a', nickname: 'b' })).toEqual({ name: 'a', nickname: 'b', kind: 'game' });
    expect(validate(UpdateThing, {})).toEqual({});
    expect(withDefaults(CreateThing, { name: 'a' })).toEqual({ name: 'a', kind: 'game' });
  });

  it('clear a field with null on update only', () => {
    expect(validate(UpdateThing, { nickname: null })).toEqual({ nickname: null });
    expect(rejectionOf(CreateThing, { name: 'a', nickname: null, teamId: 'x' })?.[0]).toBe(40002);
    expect(rejectionOf(UpdateThing, { name: null })).toEqual([40001, 'name must not be null']);
  });

  it('accept null for a computed field on update only', () => {
    expect(validate(UpdateThing, { title: null })).toEqual({ title: null });
    expect(rejectionOf(UpdateThing, { title: 'Director' })).toEqual([40001, 'title must have at most 5 characters']);
    expect(rejectionOf(CreateThing, { name: 'a', nickname: 'b', title: null })?.[0]).toBe(40001);
  });

  it('reject omitted fields, as unchangeable on update', () => {
    const rejected = { name: 'Jo', nickname: 'Jo', createdAt: 1 };
    expect(rejectionOf(CreateThing, rejected)).toEqual([40001, 'createdAt is not a known field']);
    expect(rejectionOf(UpdateThing, rejected)).toEqual([40001, 'createdAt cannot be changed']);
    expect(rejectionOf(UpdateThing, { kind: 'game' })).toEqual([40001, 'kind cannot be changed']);
    expect(rejectionOf(UpdateThing, { colour: 'red' })).toEqual([40001, 'colour is not a known field']);
  });
});

describe('a resource as JSON', () => {
  it('has the declared fields only, IDs and dates as strings, and no unset field', () => {
    const createdAt = new Date('2027-05-01T10:00:00Z');
    const stored = { _id: { toHexString: () => id }, name: 'a', title: 'b', kind: 'game', createdAt, secret: 1 };
    const json = { _id: id, name: 'a', title: 'b', kind: 'game', createdAt: '2027-05-01T10:00:00.000Z' };
    expect(jsonMapper(Thing)(stored)).toEqual(json);
    expect(jsonMapper(Thing)({ ...stored, nickname: null } as unknown as Thing)).toEqual(json);
    expect(fieldNamesOf(Thing)).toEqual(['_id', 'name', 'nickname', 'title', 'kind', 'createdAt']);
  });
});
