import type { ServiceError } from '../../errors/service-error.js';
import { InputValidationPipe } from '../../validation/validation.pipe.js';
import { CreateTeam, UpdateTeam } from './team.dto.js';

const create = { name: 'Hawks', season: '6650f1f77bcf86cd79943931' };
const pipe = new InputValidationPipe();

function validate(metatype: new () => object, fields: object): unknown {
  return pipe.transform(metatype === CreateTeam ? { ...create, ...fields } : fields, { type: 'body', metatype });
}

function invalidFields(metatype: new () => object, fields: object): string[] | undefined {
  try {
    validate(metatype, fields);
    return undefined;
  } catch (error) {
    return (error as ServiceError).details?.map(({ field }) => field);
  }
}

describe.each([
  ['create', CreateTeam],
  ['update', UpdateTeam],
])('a request to %s a team', (_what, type) => {
  it.each([
    ['name', 120],
    ['footballType', 40],
    ['ageGroup', 40],
    ['gender', 40],
  ])('has a %s of 1 to %i characters', (field, max) => {
    for (const text of ['X', '🏈'.repeat(max)])
      expect(validate(type, { [field]: text })).toMatchObject({ [field]: text });
    for (const wrong of ['x'.repeat(max + 1), ' ', 12, null])
      expect(invalidFields(type, { [field]: wrong })).toEqual([field]);
  });

  it('has a URL as logoUrl and an ID as season', () => {
    expect(invalidFields(type, { logoUrl: '/logo.png', season: 'spring-2027' })).toEqual(['season', 'logoUrl']);
  });

  it.each(['organizationId', '_id', 'revision', 'createdAt', 'updatedAt', 'createdBy', 'deletedAt'])(
    'has no %s, which the server sets',
    (field) => expect(invalidFields(type, { [field]: create.season })).toEqual([field]),
  );
});

it('only an update archives a team, and clears the URL and the external ID with null', () => {
  expect(validate(UpdateTeam, { isArchived: true })).toEqual({ isArchived: true });
  expect(invalidFields(CreateTeam, { isArchived: true })).toEqual(['isArchived']);
  const nulls = { logoUrl: null, externalId: null };
  expect(validate(UpdateTeam, nulls)).toEqual(nulls);
  for (const field of ['season', 'isArchived']) expect(invalidFields(UpdateTeam, { [field]: null })).toEqual([field]);
});
