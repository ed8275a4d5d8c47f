import { randomUUID } from 'node:crypto';
import { ObjectId } from 'mongodb';
import { expectFieldError } from '../support/expectations.js';
import { type Stored, TestOrganization } from '../support/organization.js';
import { readPage } from '../support/paging.js';
import { RunningServer } from '../support/server.js';

const server = RunningServer.forTests();
const organization = TestOrganization.forTests(server);
let players: string;
let team: string;

beforeAll(async () => {
  team = (await organization.team())._id;
  players = `/teams/${team}/players`;
});

type Body = Record<string, unknown>;
const post = () => organization.call('post', players).set('idem-key', randomUUID());
const create = (body: Body) => post().send({ name: 'Jordan Lee', ...body });
const created = async (body: Body) => (await create(body).expect(201)).body as Stored;
const instant: unknown = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

describe('POST /teams/{teamId}/players', () => {
  it('returns 201 with the unwrapped player; with only a name, position is empty and unset fields are omitted', async () => {
    expect(await created({})).toEqual({
      _id: expect.stringMatching(/^[0-9a-f]{24}$/) as unknown,
      teamId: team,
      organizationId: organization.id,
      name: 'Jordan Lee',
      position: [],
      revision: 1,
      changedBy: organization.asChangedBy(),
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
    expect(Object.keys(player)).toHaveLength(Object.keys(sent).length + 7);
  });

  it("stores the organization's creator as createdBy, which is not returned", async () => {
    const { _id } = await created({});
    const stored = await (await server.database()).collection('players').findOne({ _id: new ObjectId(_id) });
    expect(String(stored?.['createdBy'])).toBe(organization.creator._id);
  });

  it('requires a name, also of a request without a body', async () => {
    expectFieldError(await post(), 'name');
  });

  it('reports all invalid fields at once and creates nothing', async () => {
    const total = async () => (await readPage(() => organization.call('get', players))).total;
    const before = await total();
    const error = expectFieldError(await create({ name: '', email: 'x', coach: 1, position: 'QB' }), 'name');
    expect(error.details?.map(({ field }) => field).sort()).toEqual(['coach', 'email', 'name', 'position']);
    expect(await total()).toBe(before);
  });
});
