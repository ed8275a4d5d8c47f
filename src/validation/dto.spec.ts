import { errorCatalogue } from '../errors/error-catalogue.js';
import { rejectionOf as rejected, validated } from '../../test/support/validated.js';
import { CreateDto, createFrom, fieldNamesOf, jsonMapper, UpdateDto } from './dto.js';
import { ChoiceField, DateField, RecordIdField, TeamIdField, TextField } from './fields.js';
import { RequiresOneOf } from './requires-one-of.js';

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

  @ChoiceField({ description: 'A kind.', choices: ['game', 'practice'], createDefault: 'game' })
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

async function rejectionOf(type: new () => object, body: object) {
  const error = await rejected(type, body);
  return error && [error.entry.code, error.message];
}

describe('create and update requests', () => {
  it('apply the rules of the resource', async () => {
    for (const type of [CreateThing, UpdateThing]) {
      const message = 'name must have at most 5 characters';
      expect(await rejectionOf(type, { name: 'Jordan', nickname: 'Jo' })).toEqual([40001, message]);
      expect(await rejectionOf(type, { name: null, nickname: 'Jo' })).toEqual([40001, 'name must not be null']);
    }
  });

  it('require fields and apply defaults on create only', async () => {
    expect(await rejectionOf(CreateThing, { nickname: 'Jo' })).toEqual([40001, 'name is required']);
    expect(await validated(CreateThing, { name: 'a', nickname: 'b' })).toEqual({
      name: 'a',
      nickname: 'b',
      kind: 'game',
    });
    expect(await validated(UpdateThing, {})).toEqual({});
    expect(new CreateThing()).toEqual({ kind: 'game' });
  });

  it('clear a field with null on update only', async () => {
    expect(await validated(UpdateThing, { nickname: null })).toEqual({ nickname: null });
    expect((await rejectionOf(CreateThing, { name: 'a', nickname: null, teamId: 'x' }))?.[0]).toBe(40002);
    expect(await rejectionOf(UpdateThing, { name: null })).toEqual([40001, 'name must not be null']);
  });

  it('accept null for a computed field on update only', async () => {
    expect(await validated(UpdateThing, { title: null })).toEqual({ title: null });
    expect(await rejectionOf(UpdateThing, { title: 'Director' })).toEqual([
      40001,
      'title must have at most 5 characters',
    ]);
    expect((await rejectionOf(CreateThing, { name: 'a', nickname: 'b', title: null }))?.[0]).toBe(40001);
  });

  it('reject omitted fields, as unchangeable on update', async () => {
    const rejected = { name: 'Jo', nickname: 'Jo', createdAt: 1 };
    expect(await rejectionOf(CreateThing, rejected)).toEqual([40001, 'createdAt is not a known field']);
    expect(await rejectionOf(UpdateThing, rejected)).toEqual([40001, 'createdAt cannot be changed']);
    expect(await rejectionOf(UpdateThing, { kind: 'game' })).toEqual([40001, 'kind cannot be changed']);
    expect(await rejectionOf(UpdateThing, { colour: 'red' })).toEqual([40001, 'colour is not a known field']);
  });

  it('say what an upsert must send to create a record, with the defaults of a create request', () => {
    expect(createFrom(CreateThing, { name: 'a', nickname: 'b', title: null })).toEqual(
      Object.assign(new CreateThing(), { name: 'a', nickname: 'b' }),
    );
    expect(() => createFrom(CreateThing, { nickname: 'b' })).toThrow('name is required to create the record');
    expect(() => createFrom(CreateThing, { name: 'a' })).toThrow(errorCatalogue.opponentMissing.message);
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
