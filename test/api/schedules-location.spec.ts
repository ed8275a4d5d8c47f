import { expectFieldError } from '../support/expectations.js';
import { createOrganization, type Stored, type TestOrganization } from '../support/organization.js';
import { patchSchedule, postSchedule, readSchedule, defaultStart } from '../support/schedules.js';
import { RunningServer } from '../support/server.js';

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

  it.each<[string, unknown]>([
    ['a string with surrounding white space', '  Riverside Park '],
    ['nested empty objects and lists', { a: {}, b: [] }],
    [
      'every JSON type',
      { text: ' é 🏈 ', whole: 1, large: 9_007_199_254_740_991, part: 0.1, yes: true, no: false, none: null },
    ],
    ['3 levels with a list', { a: { b: ['here', null] } }],
    ['$ inside a key or at the start of a value', { a$b: '$where', price$: 'a.b' }],
    [
      'keys that match internal names',
      { _id: 'x', id: 1, type: 'x', length: 5, toString: 'x', toJSON: 'x', default: 1 },
    ],
    ['keys in any order', { zebra: 1, apple: 2, mango: { z: 1, a: 2 } }],
  ])('is stored as sent: %s', async (_what, location) => {
    const created = (await send(location).expect(201)).body as Stored;
    expect(JSON.stringify(created['location'])).toBe(JSON.stringify(location));
    expect(JSON.stringify((await readSchedule(organization, created._id))['location'])).toBe(JSON.stringify(location));
  });

  it.each([
    ['4 levels of objects', { a: { b: { c: { d: 1 } } } }, 'location'],
    ['a key that can reach a prototype', { a: [{ constructor: null }] }, 'location.a[0].constructor'],
  ])('cannot have %s', async (_what, location, field) => {
    expectFieldError(await send(location), field);
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
    ])('is replaced as sent by %s', async (_what, location) => {
      const changed = (await change(location).expect(200)).body as Stored;
      expect(JSON.stringify(changed['location'])).toBe(JSON.stringify(location));
      expect(await readSchedule(organization, schedule._id)).toEqual(changed);
    });

    it('is cleared with null, without the name of the location', async () => {
      const changed = (await change(null).expect(200)).body as Stored;
      expect(changed).not.toHaveProperty('location');
      expect(changed['locationName']).toBe('Park');
      expect(await readSchedule(organization, schedule._id)).toEqual(changed);
    });
  });
});
