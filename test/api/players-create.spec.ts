import { randomUUID } from 'node:crypto';
import { ObjectId } from 'mongodb';
import { expectFieldError, expectError } from '../support/expectations.js';
import { createOrganization, type Stored, type TestOrganization } from '../support/organization.js';
import { readPage } from '../support/paging.js';
import { RunningServer } from '../support/server.js';
import {
  type Case,
  nonStrings,
  prototypeKeys,
  stringOf,
  unreadableStrings,
  urlOf,
  withRawKey,
  invalidUrls,
} from '../support/invalid-values.js';

let server: RunningServer;
let organization: TestOrganization;
let players: string;
let team: string;

beforeAll(async () => {
  server = await RunningServer.shared();
  organization = await createOrganization(server);
  team = (await organization.team())._id;
  players = `/teams/${team}/players`;
});

afterAll(async () => {
  await server.stop();
});

type Body = Record<string, unknown>;
const post = () => organization.call('post', players).set('idem-key', randomUUID());
const create = (body: Body) => post().send({ name: 'Jordan Lee', ...body });
const created = async (body: Body) => (await create(body).expect(201)).body as Stored;
const instant: unknown = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
const emailOfLength = (length: number) =>
  `${'l'.repeat(64)}@${'d'.repeat(63)}.${'d'.repeat(63)}.${'d'.repeat(length - 193)}`;

describe('POST /teams/{teamId}/players', () => {
  it('returns 201 with the unwrapped player; with only a name, position is empty and unset fields are omitted', async () => {
    expect(await created({})).toEqual({
      _id: expect.stringMatching(/^[0-9a-f]{24}$/) as unknown,
      teamId: team,
      organizationId: organization.id,
      name: 'Jordan Lee',
      position: [],
      revision: 1,
      createdAt: instant,
      updatedAt: instant,
    });
  });

  it('stores every field as sent', async () => {
    const sent = {
      name: 'Zoë Ångström-O’Neill 🏈',
      email: 'zoe.angstrom+flag@mail.example.com',
      position: ['QB', 'WR'],
      jerseyNumber: '07',
      profilePicture: 'https://cdn.example.com/players/zoe.jpg',
    };
    const player = await created(sent);
    expect(player).toMatchObject(sent);
    expect(Object.keys(player)).toHaveLength(Object.keys(sent).length + 6);
  });

  it("stores the organization's creator as createdBy, which is not returned", async () => {
    const { _id } = await created({});
    const stored = await (await server.database()).collection('players').findOne({ _id: new ObjectId(_id) });
    expect(String(stored?.['createdBy'])).toBe(organization.creator._id);
  });

  it.each(['organizationId', 'teamId', '_id', 'createdBy', 'deletedAt', 'idempotency', 'positions', 'toString'])(
    'rejects the unknown field %s by name',
    async (field) => {
      expectFieldError(await create({ [field]: organization.id }), field);
    },
  );

  it.each(prototypeKeys)('rejects the raw key %s by name', async (key) => {
    const json = post().set('Content-Type', 'application/json');
    expectFieldError(await json.send(withRawKey({ name: 'Jordan Lee' }, key)), key);
  });

  it('rejects a query parameter by name', async () => {
    const call = organization.call('post', `${players}?notify=1`).set('idem-key', randomUUID());
    expectFieldError(await call.send({ name: 'Jordan Lee' }), 'notify');
  });

  it('reports all invalid fields at once and creates nothing', async () => {
    const total = async () => (await readPage(() => organization.call('get', players))).total;
    const before = await total();
    const error = expectFieldError(await create({ name: '', email: 'x', coach: 1, position: 'QB' }), 'name');
    expect(error.details?.map(({ field }) => field).sort()).toEqual(['coach', 'email', 'name', 'position']);
    expect(await total()).toBe(before);
  });

  it('requires an API key', async () => {
    expectError(await server.call('post', `/v1/public-api${players}`).send({ name: 'Jordan Lee' }), 40101);
  });
});

describe('name', () => {
  it('is required', async () => {
    expectFieldError(await create({ name: undefined }), 'name');
  });

  it('is required if the request has no body', async () => {
    expectFieldError(await post(), 'name');
  });

  it('has 1 to 120 code points', async () => {
    for (const name of ['J', stringOf(120)]) expect(await created({ name })).toMatchObject({ name });
    expectFieldError(await create({ name: stringOf(121) }), 'name');
  });

  it('is trimmed before its length is checked', async () => {
    expect(await created({ name: `  ${'J'.repeat(120)}  ` })).toMatchObject({ name: 'J'.repeat(120) });
  });

  it.each([...nonStrings, ...unreadableStrings, ['null', null] as const])('cannot be %s', async (_what, name) => {
    expectFieldError(await create({ name }), 'name');
  });
});

describe('email', () => {
  it('has at most 254 characters', async () => {
    const [longest, tooLong] = [emailOfLength(254), emailOfLength(255)];
    expect([longest.length, tooLong.length]).toEqual([254, 255]);
    expect(await created({ email: longest })).toMatchObject({ email: longest });
    expectFieldError(await create({ email: tooLong }), 'email');
  });

  it('is trimmed and keeps its case', async () => {
    expect(await created({ email: ' Jordan.Lee@Example.com ' })).toMatchObject({ email: 'Jordan.Lee@Example.com' });
  });

  it.each([
    ...nonStrings,
    ...unreadableStrings,
    ['null', null] as const,
    ['a string without @', 'jordan.example.com'] as const,
    ['a string without a domain', 'jordan@'] as const,
    ['a string without a local part', '@example.com'] as const,
    ['two addresses', 'a@example.com,b@example.com'] as const,
    ['an address with a display name', 'Jordan <jordan@example.com>'] as const,
  ])('cannot be %s', async (_what, email) => {
    expectFieldError(await create({ email }), 'email');
  });
});

describe('position', () => {
  const known = 'QB C WR SLOT RB TE OL RUSHER DL LB CB S DB K P RETURNER ATH'.split(' ');

  it.each(known)('accepts %s in any case and stores it in upper case', async (position) => {
    const [first = '', ...rest] = position.toLowerCase();
    for (const sent of [position, position.toLowerCase(), `${first.toUpperCase()}${rest.join('')}`, ` ${position} `]) {
      expect(await created({ position: [sent] })).toMatchObject({ position: [position] });
    }
  });

  it('keeps other positions as sent, in order, beside known ones', async () => {
    const player = await created({ position: ['Rover', 'qb', 'linebacker (mid)'] });
    expect(player['position']).toEqual(['Rover', 'QB', 'linebacker (mid)']);
  });

  it('can be empty', async () => {
    expect(await created({ position: [] })).toMatchObject({ position: [] });
  });

  it('has at most 8 entries', async () => {
    expect(await created({ position: known.slice(0, 8) })).toMatchObject({ position: known.slice(0, 8) });
    expectFieldError(await create({ position: known.slice(0, 9) }), 'position');
  });

  it('has entries of 1 to 20 code points', async () => {
    expect(await created({ position: [stringOf(20), 'X'] })).toMatchObject({ position: [stringOf(20), 'X'] });
    expectFieldError(await create({ position: [stringOf(21)] }), 'position');
  });

  it.each<Case>([
    ['the same known position twice', ['QB', 'QB']],
    ['the same known position in two cases', ['QB', 'WR', 'qb']],
    ['the same other position twice', ['Rover', 'Rover']],
    ['the same position with surrounding white space', ['Rover', ' Rover ']],
    ['a string', 'QB'],
    ['a nested list', [['QB']]],
    ['an object', { 0: 'QB', length: 1 }],
    ['a number', 12],
    ['null', null],
    ...[...nonStrings, ...unreadableStrings, ['null', null] as const].map(
      ([what, value]) => [`a list with ${what}`, ['QB', value]] as const,
    ),
  ])('cannot be %s', async (_what, position) => {
    expectFieldError(await create({ position }), 'position');
  });
});

describe('jerseyNumber', () => {
  it.each(['00', '0', '07', '7', '1234', 'A-1', stringOf(4)])('is stored as sent: %s', async (jerseyNumber) => {
    expect(await created({ jerseyNumber })).toMatchObject({ jerseyNumber });
  });

  it.each([
    ...nonStrings,
    ...unreadableStrings,
    ['null', null] as const,
    ['zero', 0] as const,
    ['five characters', '12345'] as const,
    ['five code points', stringOf(5)] as const,
    ['a string with a space', '1 2'] as const,
    ['a string with an invisible character', '1\u200b2'] as const,
  ])('cannot be %s', async (_what, jerseyNumber) => {
    expectFieldError(await create({ jerseyNumber }), 'jerseyNumber');
  });
});

describe('profilePicture', () => {
  it.each([
    ['http', 'http://example.com/j.jpg'],
    ['https with a port, a query and a fragment', 'https://cdn.example.com:8443/j%20l.jpg?v=2#face'],
    ['2,048 characters', urlOf(2048)],
  ])('can be a URL: %s', async (_what, profilePicture) => {
    expect(await created({ profilePicture })).toMatchObject({ profilePicture });
  });

  it.each([...invalidUrls, ['null', null] as const])('cannot be %s', async (_what, profilePicture) => {
    expectFieldError(await create({ profilePicture }), 'profilePicture');
  });
});
