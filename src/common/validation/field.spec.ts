import { errorCatalogue } from '../errors/error-catalogue.js';
import { ServiceError } from '../errors/service-error.js';
import { Clearable, Required, RequiresOneOf } from './field.js';
import { TextField } from './fields.js';
import { InputValidationPipe } from './validation.pipe.js';

class Fields {
  @TextField({ description: 'A name.', max: 5 })
  name?: string | null;

  @TextField({ description: 'A nickname.', max: 5 })
  nickname?: string | null;
}

class CreateRequest extends Fields {
  @Required()
  declare name: string;

  @RequiresOneOf(['nickname'], errorCatalogue.opponentMissing)
  declare nickname: string;
}

class UpdateRequest extends Fields {
  @Clearable()
  declare nickname: string | null;
}

function refusalOf(metatype: new () => Fields, body: object): [code: number, message: string] | undefined {
  try {
    new InputValidationPipe().transform(body, { type: 'body', metatype });
    return undefined;
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return [error.entry.code, error.message];
  }
}

describe('a request that constrains a field which it inherits', () => {
  it('still holds it to the inherited rule', () => {
    expect(refusalOf(CreateRequest, { name: 'Jordan', nickname: 'Jo' })).toEqual([
      40001,
      'name must have at most 5 characters',
    ]);
    expect(refusalOf(CreateRequest, { name: null, nickname: 'Jo' })).toEqual([40001, 'name must not be null']);
    expect(refusalOf(CreateRequest, { name: 'Jo', nickname: 7 })).toEqual([40001, 'nickname must be a text']);
  });

  it('holds it to its own', () => {
    expect(refusalOf(CreateRequest, { nickname: 'Jo' })).toEqual([40001, 'name is required']);
    for (const nickname of [undefined, null, ' ']) expect(refusalOf(CreateRequest, { nickname })?.[0]).toBe(40002);
    expect(refusalOf(CreateRequest, { name: 'Jo', nickname: 'Jo' })).toBeUndefined();
  });

  it('leaves the request beside it as it is', () => {
    expect(refusalOf(UpdateRequest, {})).toBeUndefined();
    expect(refusalOf(UpdateRequest, { nickname: null })).toBeUndefined();
    expect(refusalOf(UpdateRequest, { name: null })).toEqual([40001, 'name must not be null']);
    expect(refusalOf(UpdateRequest, { nickname: 'Jordan' })).toEqual([
      40001,
      'nickname must have at most 5 characters',
    ]);
  });
});
