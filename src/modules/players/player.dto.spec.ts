import { invalidFieldsOf, rejectionOf, validated } from '../../../test/support/validated.js';
import { CreatePlayer, UpdatePlayer, UpsertPlayer } from './player.dto.js';

type Class = new () => object;

const bodyOf = (type: Class, fields: object) => (type === CreatePlayer ? { name: 'Jordan Lee', ...fields } : fields);
const validate = (type: Class, fields: object) => validated(type, bodyOf(type, fields));
const invalidFields = (type: Class, fields: object) => invalidFieldsOf(type, bodyOf(type, fields));

const unreadable = ['', ' \u00a0', '\u200b\u3164', 'a\u0007b', 'a\nb', '\ud800', 12, true, {}];
const eight = ['QB', 'C', 'WR', 'SLOT', 'RB', 'TE', 'OL', 'LB'];
const fields: [field: string, accepted: unknown[], rejected: unknown[]][] = [
  ['name', ['J', '🏈'.repeat(120)], ['x'.repeat(121), ...unreadable, null]],
  ['email', ['zoe+flag@mail.example.com'], ['a@example.com,b@example.com', 'J <j@example.com>', ...unreadable]],
  ['profilePicture', ['https://cdn.example.com:8443/j%20l.jpg?v=2#face'], ['/j.png', ...unreadable]],
  ['jerseyNumber', ['00', '0', '07', 'A-1', '🏈'.repeat(4)], ['12345', '1 2', '1\u200d2', 0, ...unreadable]],
  ['position', [[], eight, ['Rover', 'QB'], ['🏈'.repeat(20)], ['ſ', 'qb2']], [[...eight, 'S'], 'QB', null]],
];
const setByServer = ['organizationId', '_id', 'revision', 'createdAt', 'createdBy', 'deletedAt', 'idempotency'];

describe.each([
  ['create', CreatePlayer],
  ['update', UpdatePlayer],
  ['upsert', UpsertPlayer],
])('a request to %s a player', (_what, type) => {
  it.each(fields)('accepts and rejects values of %s', async (field, accepted, rejected) => {
    for (const value of accepted) expect(await validate(type, { [field]: value })).toMatchObject({ [field]: value });
    for (const value of rejected) expect(await invalidFields(type, { [field]: value })).toEqual([field]);
  });

  it.each([...unreadable, 'x'.repeat(21), ['QB'], null, 'wr', ' WR '])(
    'rejects the position %j after WR',
    async (entry) => {
      expect(await invalidFields(type, { position: ['WR', entry] })).toEqual(['position[1]']);
    },
  );

  it('trims texts, keeps the case of an address and writes known positions in upper case', async () => {
    const sent = { name: ' Zoë  Å ', email: ' J@Example.com ', jerseyNumber: ' 7 ', position: [' qb ', 'rover'] };
    const kept = { name: 'Zoë  Å', email: 'J@Example.com', jerseyNumber: '7', position: ['QB', 'rover'] };
    expect(await validate(type, sent)).toEqual(kept);
  });

  it('knows the positions of the contract', async () => {
    const positions = ['QB C WR SLOT RB TE OL RUSHER', 'DL LB CB S DB K P RETURNER', 'ATH'];
    for (const position of positions.map((text) => text.split(' ')))
      expect(await validate(type, { position: position.map((each) => each.toLowerCase()) })).toMatchObject({
        position,
      });
  });

  it.each(setByServer)('has no %s, which the server sets', async (field) => {
    expect(await invalidFields(type, { [field]: 'x' })).toEqual([field]);
  });
});

it('only an update by ID moves a player', async () => {
  expect(await validate(UpdatePlayer, { teamId: 'x' })).toEqual({ teamId: 'x' });
  for (const type of [CreatePlayer, UpsertPlayer])
    expect(await invalidFields(type, { teamId: 'x' })).toEqual(['teamId']);
});

it('null clears optional fields in an update only', async () => {
  const nulls = { email: null, jerseyNumber: null, profilePicture: null, externalId: null };
  expect(await validate(UpdatePlayer, nulls)).toEqual(nulls);
  expect((await invalidFields(CreatePlayer, nulls))?.sort()).toEqual(Object.keys(nulls).sort());
});

it.each([
  ['name', 12, 'must be a string'],
  ['name', ' ', 'must not be blank'],
  ['position', 'QB', 'must be an array of strings'],
  ['email', 'dana', 'must be an email address'],
  ['profilePicture', '/a.png', 'must be an http or https URL'],
  ['profilePicture', ' ', 'must not be blank; send null to clear it'],
  ['jerseyNumber', '', 'must be a string of 1 to 4 visible characters; send null to clear it'],
  ['teamId', 'x', 'cannot be changed'],
])('an update with an invalid %s says what it must be: %j', async (field, value, problem) => {
  expect((await rejectionOf(UpsertPlayer, { [field]: value }))?.details).toEqual([
    { field, message: `${field} ${problem}` },
  ]);
});
