import { expectFieldError, expectError } from '../support/expectations.js';
import { createOrganization, type Stored, type TestOrganization } from '../support/organization.js';
import { patchSchedule, postSchedule, readSchedule, defaultStart } from '../support/schedules.js';
import { RunningServer } from '../support/server.js';

/** An object whose JSON has exactly this many bytes. */
function objectOf(bytes: number): Record<string, string> {
  return { name: 'x'.repeat(bytes - '{"name":""}'.length) };
}

/** A string of at most 500 characters, or an object of at most 2 KB and 3 levels, stored as sent. */
describe('the location of a schedule', () => {
  let server: RunningServer;
  let organization: TestOrganization;
  let team: Stored;

  beforeAll(async () => {
    server = await RunningServer.shared();
    organization = await createOrganization(server);
    team = await organization.team();
  });
  afterAll(() => server.stop());

  const send = (location: unknown) =>
    postSchedule(organization, { teamId: team._id, startDate: defaultStart, teamTwoName: 'Foxes', location });

  /** Sends the location as raw JSON, with keys that an object literal cannot have. */
  const sendRaw = (location: string) =>
    postSchedule(
      organization,
      `{"teamId":"${team._id}","startDate":"${defaultStart}","teamTwoName":"Foxes","location":${location}}`,
    );

  it.each<[string, unknown]>([
    ['a string', 'Riverside Park, field 3'],
    ['a string with surrounding white space', '  Riverside Park '],
    ['a string of 500 characters', 'x'.repeat(500)],
    ['a string of 500 emoji', '🏈'.repeat(500)],
    ['coordinates', { latitude: 37.8, longitude: -122.27 }],
    ['an empty object', {}],
    ['nested empty objects and lists', { a: {}, b: [] }],
    ['GeoJSON', { type: 'Point', coordinates: [-122.27, 37.8] }],
    [
      'every JSON type',
      { text: ' é 🏈 ', whole: 1, large: 9_007_199_254_740_991, part: 0.1, yes: true, no: false, none: null },
    ],
    ['3 levels of objects', { a: { b: { c: 'here' } } }],
    ['3 levels with a list', { a: { b: ['here', null] } }],
    ['2,048 bytes', objectOf(2048)],
    ['$ inside a key or at the start of a value', { a$b: '$where', price$: 'a.b' }],
    [
      'keys that match internal names',
      { _id: 'x', id: 1, type: 'x', length: 5, toString: 'x', toJSON: 'x', default: 1 },
    ],
    ['keys in any order', { zebra: 1, apple: 2, mango: { z: 1, a: 2 } }],
    ['an empty key', { '': 'nameless' }],
  ])('is stored as sent: %s', async (_what, location) => {
    const created = (await send(location).expect(201)).body as Stored;
    expect(JSON.stringify(created['location'])).toBe(JSON.stringify(location));
    expect(JSON.stringify((await readSchedule(organization, created._id))['location'])).toBe(JSON.stringify(location));
  });

  it('is omitted from responses if it was not sent', async () => {
    const created = await organization.schedule(team._id);
    expect(created).not.toHaveProperty('location');
    expect(await readSchedule(organization, created._id)).not.toHaveProperty('location');
  });

  it.each<[string, unknown]>([
    ['null', null],
    ['a number', 5],
    ['true', true],
    ['a list', [37.8, -122.27]],
    ['an empty list', []],
    ['a string of 501 characters', 'x'.repeat(501)],
    ['a string of 501 emoji', '🏈'.repeat(501)],
    ['a string with a control character', 'a\u0000b'],
    ['a string with a lone surrogate', 'a\ud800b'],
    ['a nested string with a control character', { name: 'a\u0007b' }],
    ['a nested string with a lone surrogate', { name: 'a\udc00b' }],
    ['2,049 bytes', objectOf(2049)],
    ['2,049 bytes in fewer characters', { name: 'é'.repeat(1019) }],
    ['4 levels of objects', { a: { b: { c: { d: 1 } } } }],
    ['4 levels, the last empty', { a: { b: { c: {} } } }],
    ['4 levels with lists', { a: { b: [['here']] } }],
    ['a key that starts with $', { $where: 'x' }],
    ['a key that is $', { $: 'x' }],
    ['a nested key that starts with $', { a: { $ne: null } }],
    ['a key that starts with $ in a list', { a: [{ $ne: null }] }],
    ['a key with a dot', { 'a.b': 1 }],
    ['a nested key with a dot', { a: { 'b.': 1 } }],
  ])('cannot be %s', async (_what, location) => {
    expectFieldError(await send(location), 'location');
  });

  it.each(['__proto__', 'constructor', 'prototype'])('cannot have the key %s at any level', async (key) => {
    expectFieldError(await sendRaw(`{"${key}":{"a":1}}`), `location.${key}`);
    expectFieldError(await sendRaw(`{"a":{"${key}":1}}`), `location.a.${key}`);
    expectFieldError(await sendRaw(`{"a":[{"${key}":null}]}`), `location.a[0].${key}`);
  });

  it('cannot contain a number too large to store', async () => {
    expectFieldError(await sendRaw('{"latitude":1e999}'), 'location');
  });

  it.each(['9007199254740993', '-9007199254740993', '123456789012345678901234567890', '1e300'])(
    'cannot contain a number that loses digits in JSON: %s',
    async (number) => {
      expectFieldError(await sendRaw(`{"placeNumber":${number}}`), 'location');
      expectFieldError(await sendRaw(`{"a":[{"b":${number}}]}`), 'location');
    },
  );

  it('stores the largest numbers that JSON carries exactly', async () => {
    const sent = '{"most":9007199254740991,"least":-9007199254740991}';
    const created = (await sendRaw(sent).expect(201)).body as Stored;
    expect(JSON.stringify(created['location'])).toBe(sent);
  });

  describe('in a PATCH', () => {
    let schedule: Stored;
    beforeAll(async () => {
      schedule = await organization.schedule(team._id, { location: { a: { b: 1 } }, locationName: 'Park' });
    });

    const change = (location: unknown) => patchSchedule(organization, schedule._id, { teamId: team._id, location });

    it.each<[string, unknown]>([
      ['a string', 'Riverside Park, field 3'],
      ['an object, of which nothing is kept from the stored one', { latitude: 37.8, a: { c: null } }],
      ['an empty object', {}],
      ['keys in another order', { zebra: 1, apple: 2 }],
    ])('is replaced as sent by %s', async (_what, location) => {
      const changed = (await change(location).expect(200)).body as Stored;
      expect(JSON.stringify(changed['location'])).toBe(JSON.stringify(location));
      expect(await readSchedule(organization, schedule._id)).toEqual(changed);
    });

    it.each<[string, unknown]>([
      ['a number', 5],
      ['a list', [37.8, -122.27]],
      ['a string of 501 characters', 'x'.repeat(501)],
      ['2,049 bytes', objectOf(2049)],
      ['4 levels of objects', { a: { b: { c: { d: 1 } } } }],
      ['a key that starts with $', { $where: 'x' }],
      ['a key with a dot', { 'a.b': 1 }],
    ])('cannot be %s, and then stays', async (_what, location) => {
      const before = await readSchedule(organization, schedule._id);
      expectFieldError(await change(location), 'location');
      expect(await readSchedule(organization, schedule._id)).toEqual(before);
    });

    it('is cleared with null, without the name of the location', async () => {
      const changed = (await change(null).expect(200)).body as Stored;
      expect(changed).not.toHaveProperty('location');
      expect(changed['locationName']).toBe('Park');
      expect(await readSchedule(organization, schedule._id)).toEqual(changed);
    });
  });

  it('with more than 32 levels makes the whole body malformed', async () => {
    expectError(await sendRaw(`${'{"a":'.repeat(32)}1${'}'.repeat(32)}`), 40000);
  });
});
