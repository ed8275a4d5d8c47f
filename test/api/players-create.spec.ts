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
const ofLength = (length: number) =>
  `${'l'.repeat(64)}@${'d'.repeat(63)}.${'d'.repeat(63)}.${'d'.repeat(length - 193)}`;

describe('POST /teams/{teamId}/players', () => {
  it('answers 201 with the player itself, unwrapped; of a name alone, with an empty position and no unset field', async () => {
    expect(await created({})).toEqual({
      _id: expect.stringMatching(/^[0-9a-f]{24}$/) as unknown,
      teamId: team,
      organizationId: organization.id,
      name: 'Jordan Lee',
      position: [],
      createdAt: instant,
      updatedAt: instant,
    });
  });

  it('keeps every field that is sent', async () => {
    const sent = {
      name: 'Zoë Ångström-O’Neill 🏈',
      email: 'zoe.angstrom+flag@mail.example.com',
      position: ['QB', 'WR'],
      jerseyNumber: '07',
      profilePicture: 'https://cdn.example.com/players/zoe.jpg',
    };
    const player = await created(sent);
    expect(player).toMatchObject(sent);
    expect(Object.keys(player)).toHaveLength(Object.keys(sent).length + 5);
  });

  it('stores the creator of the organization as createdBy, which is not answered', async () => {
    const { _id } = await created({});
    const stored = await (await server.database()).collection('players').findOne({ _id: new ObjectId(_id) });
    expect(String(stored?.['createdBy'])).toBe(organization.creator._id);
  });

  it.each(['organizationId', 'teamId', '_id', 'createdBy', 'deletedAt', 'idempotency', 'positions', 'toString'])(
    'refuses the unknown field %s by name',
    async (field) => {
      expectFieldError(await create({ [field]: organization.id }), field);
    },
  );

  it.each(prototypeKeys)('refuses the raw key %s by name', async (key) => {
    const json = post().set('Content-Type', 'application/json');
    expectFieldError(await json.send(withRawKey({ name: 'Jordan Lee' }, key)), key);
  });

  it('refuses a query parameter by name', async () => {
    const call = organization.call('post', `${players}?notify=1`).set('idem-key', randomUUID());
    expectFieldError(await call.send({ name: 'Jordan Lee' }), 'notify');
  });

  it('names all the wrong fields at once, and makes nothing', async () => {
    const total = async () => (await readPage(() => organization.call('get', players))).total;
    const before = await total();
    const refusal = expectFieldError(await create({ name: '', email: 'x', coach: 1, position: 'QB' }), 'name');
    expect(refusal.details?.map(({ field }) => field).sort()).toEqual(['coach', 'email', 'name', 'position']);
    expect(await total()).toBe(before);
  });

  it('demands an API key', async () => {
    expectError(await server.call('post', `/v1/public-api${players}`).send({ name: 'Jordan Lee' }), 40101);
  });
});

describe('name', () => {
  it('is required', async () => {
    expectFieldError(await create({ name: undefined }), 'name');
  });

  it('is required of a request without a body', async () => {
    expectFieldError(await post(), 'name');
  });

  it('has 1 to 120 code points, and not one more', async () => {
    for (const name of ['J', stringOf(120)]) expect(await created({ name })).toMatchObject({ name });
    expectFieldError(await create({ name: stringOf(121) }), 'name');
  });

  it('is trimmed before it is measured', async () => {
    expect(await created({ name: `  ${'J'.repeat(120)}  ` })).toMatchObject({ name: 'J'.repeat(120) });
  });

  it.each([...nonStrings, ...unreadableStrings, ['null', null] as const])('may not be %s', async (_what, name) => {
    expectFieldError(await create({ name }), 'name');
  });
});

describe('email', () => {
  it('has at most 254 characters', async () => {
    const [longest, tooLong] = [ofLength(254), ofLength(255)];
    expect([longest.length, tooLong.length]).toEqual([254, 255]);
    expect(await created({ email: longest })).toMatchObject({ email: longest });
    expectFieldError(await create({ email: tooLong }), 'email');
  });

  it('is trimmed, and keeps its case', async () => {
    expect(await created({ email: ' Jordan.Lee@Example.com ' })).toMatchObject({ email: 'Jordan.Lee@Example.com' });
  });

  it.each([
    ...nonStrings,
    ...unreadableStrings,
    ['null', null] as const,
    ['a text without @', 'jordan.example.com'] as const,
    ['a text without a domain', 'jordan@'] as const,
    ['a text without a name', '@example.com'] as const,
    ['two addresses', 'a@example.com,b@example.com'] as const,
    ['a name beside the address', 'Jordan <jordan@example.com>'] as const,
  ])('may not be %s', async (_what, email) => {
    expectFieldError(await create({ email }), 'email');
  });
});

describe('position', () => {
  const known = 'QB C WR SLOT RB TE OL RUSHER DL LB CB S DB K P RETURNER ATH'.split(' ');

  it.each(known)('knows %s, and gives it in upper case however it is sent', async (position) => {
    const [first = '', ...rest] = position.toLowerCase();
    for (const sent of [position, position.toLowerCase(), `${first.toUpperCase()}${rest.join('')}`, ` ${position} `]) {
      expect(await created({ position: [sent] })).toMatchObject({ position: [position] });
    }
  });

  it("keeps a partner's own positions as they are sent, beside known ones, in the order that was sent", async () => {
    const player = await created({ position: ['Rover', 'qb', 'linebacker (mid)'] });
    expect(player['position']).toEqual(['Rover', 'QB', 'linebacker (mid)']);
  });

  it('may be an empty list', async () => {
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
    ['the same known one twice', ['QB', 'QB']],
    ['the same known one in two cases', ['QB', 'WR', 'qb']],
    ['the same own one twice', ['Rover', 'Rover']],
    ['the same one with white space around it', ['Rover', ' Rover ']],
    ['a text', 'QB'],
    ['a list in a list', [['QB']]],
    ['an object', { 0: 'QB', length: 1 }],
    ['a number', 12],
    ['null', null],
    ...[...nonStrings, ...unreadableStrings, ['null', null] as const].map(
      ([what, value]) => [`a list that holds ${what}`, ['QB', value]] as const,
    ),
  ])('may not be %s', async (_what, position) => {
    expectFieldError(await create({ position }), 'position');
  });
});

describe('jerseyNumber', () => {
  it.each(['00', '0', '07', '7', '1234', 'A-1', stringOf(4)])('is kept as sent: %s', async (jerseyNumber) => {
    expect(await created({ jerseyNumber })).toMatchObject({ jerseyNumber });
  });

  it.each([
    ...nonStrings,
    ...unreadableStrings,
    ['null', null] as const,
    ['zero', 0] as const,
    ['five characters', '12345'] as const,
    ['five code points', stringOf(5)] as const,
    ['a text with a blank inside', '1 2'] as const,
    ['a text with an invisible character inside', '1\u200b2'] as const,
  ])('may not be %s', async (_what, jerseyNumber) => {
    expectFieldError(await create({ jerseyNumber }), 'jerseyNumber');
  });
});

describe('profilePicture', () => {
  it.each([
    ['http', 'http://example.com/j.jpg'],
    ['https with a port, a query and a fragment', 'https://cdn.example.com:8443/j%20l.jpg?v=2#face'],
    ['2,048 characters', urlOf(2048)],
  ])('may be a URL: %s', async (_what, profilePicture) => {
    expect(await created({ profilePicture })).toMatchObject({ profilePicture });
  });

  it.each([...invalidUrls, ['null', null] as const])('may not be %s', async (_what, profilePicture) => {
    expectFieldError(await create({ profilePicture }), 'profilePicture');
  });
});
