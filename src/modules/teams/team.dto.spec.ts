import { invalidFieldsOf, validated } from '../../../test/support/validated.js';
import { CreateTeam, UpdateTeam } from './team.dto.js';

const create = { name: 'Hawks', season: '6650f1f77bcf86cd79943931' };
type Class = new () => object;

const bodyOf = (type: Class, fields: object) => (type === CreateTeam ? { ...create, ...fields } : fields);
const validate = (type: Class, fields: object) => validated(type, bodyOf(type, fields));
const invalidFields = (type: Class, fields: object) => invalidFieldsOf(type, bodyOf(type, fields));

describe.each([
  ['create', CreateTeam],
  ['update', UpdateTeam],
])('a request to %s a team', (_what, type) => {
  it.each([
    ['name', 120],
    ['footballType', 40],
    ['ageGroup', 40],
    ['gender', 40],
  ])('has a %s of 1 to %i characters', async (field, max) => {
    for (const text of ['X', '🏈'.repeat(max)])
      expect(await validate(type, { [field]: text })).toMatchObject({ [field]: text });
    for (const wrong of ['x'.repeat(max + 1), ' ', 12, null])
      expect(await invalidFields(type, { [field]: wrong })).toEqual([field]);
  });

  it('has a URL as logoUrl and an ID as season', async () => {
    const fields = { logoUrl: '/logo.png', season: 'spring-2027' };
    expect((await invalidFields(type, fields))?.sort()).toEqual(['logoUrl', 'season']);
  });

  it.each(['organizationId', '_id', 'revision', 'createdAt', 'updatedAt', 'createdBy', 'deletedAt'])(
    'has no %s, which the server sets',
    async (field) => expect(await invalidFields(type, { [field]: create.season })).toEqual([field]),
  );
});

it('only an update archives a team, and clears the URL and the external ID with null', async () => {
  expect(await validate(UpdateTeam, { isArchived: true })).toEqual({ isArchived: true });
  expect(await invalidFields(CreateTeam, { isArchived: true })).toEqual(['isArchived']);
  const nulls = { logoUrl: null, externalId: null };
  expect(await validate(UpdateTeam, nulls)).toEqual(nulls);
  for (const field of ['season', 'isArchived'])
    expect(await invalidFields(UpdateTeam, { [field]: null })).toEqual([field]);
});
