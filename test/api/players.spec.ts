import { randomUUID } from 'node:crypto';
import { expectError } from '../support/expectations.js';
import { type Stored, TestOrganization } from '../support/organization.js';
import { RunningServer } from '../support/server.js';
import { FeedMirror } from '../support/feed.js';

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
});

describe('a player', () => {
  const organization = TestOrganization.forTests(server);
  let team: string;

  beforeAll(async () => {
    team = (await organization.team())._id;
  });

  type Body = Record<string, unknown>;
  const pathOf = (player: Stored) => `/teams/${String(player['teamId'])}/players/${player._id}`;
  const get = (player: Stored) => organization.call('get', pathOf(player));
  const patch = (player: Stored, body: Body) => organization.call('patch', pathOf(player)).send(body);
  const remove = (player: Stored) => organization.call('delete', pathOf(player));

  it('returns 40403 for a player of another team of the organization, who stays', async () => {
    const player = await organization.player((await organization.team())._id);
    const elsewhere = { ...player, teamId: team };
    for (const response of [await get(elsewhere), await patch(elsewhere, { name: 'Renamed' }), await remove(elsewhere)])
      expectError(response, 40403);
    expect((await get(player).expect(200)).body).toEqual({ data: player });
  });
});

describe('a player who changes teams', () => {
  const organization = TestOrganization.forTests(server);
  let season: string;
  let from: string;
  let to: string;

  beforeAll(async () => {
    season = (await organization.season())._id;
  });
  beforeEach(async () => {
    [from, to] = [(await organization.team({ season }))._id, (await organization.team({ season }))._id];
  });

  const pathOf = (teamId: string, { _id }: Stored) => `/teams/${teamId}/players/${_id}`;
  const move = (player: Stored, teamId: unknown, fields: object = {}) =>
    organization.call('patch', pathOf(String(player['teamId']), player)).send({ ...fields, teamId });

  describe('PATCH /teams/{teamId}/players/{playerId} with teamId', () => {
    it('moves the player with ID and other fields; the path of the old team returns 404 from then on', async () => {
      const player = await organization.player(from, { externalId: 'erp-7', jerseyNumber: '7' });
      const response = await move(player, to, { jerseyNumber: '12' }).expect(200);
      const moved = response.body as Stored;
      const changes = { teamId: to, jerseyNumber: '12', revision: 2, updatedAt: moved['updatedAt'] };
      expect(moved).toEqual({ ...player, ...changes });
      expect(response.headers['etag']).toBe('"2"');
      expect((await organization.call('get', pathOf(to, player)).expect(200)).body).toEqual({ data: moved });
      const byExternalId = (team: string) => organization.call('get', `/teams/${team}/players/by-external-id/erp-7`);
      expect((await byExternalId(to).expect(200)).body).toEqual({ data: moved });
      expectError(await organization.call('get', pathOf(from, player)), 40403);
      expectError(await byExternalId(from), 40403);
      expectError(await move(player, to), 40403);
      const feed = new FeedMirror(organization);
      await feed.followUntil('the move', () => feed.get('player', player._id)?.revision === 2);
      expect(feed.get('player', player._id)).toMatchObject({ teamId: to, record: moved });
    });

    it('changes nothing if the player is on the team already', async () => {
      const player = await organization.player(from);
      expect((await move(player, from.toUpperCase()).expect(200)).body).toEqual(player);
    });

    it('rejects an external ID that is taken in the other team, unless the move changes it', async () => {
      const player = await organization.player(from, { externalId: 'erp-7' });
      await organization.player(to, { externalId: 'erp-7' });
      expectError(await move(player, to), 40905);
      const other = await organization.player(to, { externalId: 'erp-9' });
      expect(expectError(await move(player, to, { externalId: 'erp-9' }), 40905).message).toContain(other._id);
      await move(player, to, { externalId: 'erp-8' }).expect(200);
    });

    it('leaves one player with an external ID if two move to a team at once', async () => {
      const other = (await organization.team({ season }))._id;
      const movers = [
        await organization.player(from, { externalId: 'erp-7' }),
        await organization.player(other, { externalId: 'erp-7' }),
      ];
      const responses = await Promise.all(movers.map((player) => move(player, to)));
      expect(responses.map(({ status }) => status).sort()).toEqual([200, 409]);
    });

    it('moves to one of two teams at once, with and without If-Match', async () => {
      const other = (await organization.team({ season }))._id;
      for (const headers of [{}, { 'If-Match': '"1"' }]) {
        const player = await organization.player(from);
        const responses = await Promise.all([to, other].map((team) => move(player, team).set(headers)));
        expect(responses.map(({ status }) => status).sort()).toEqual([200, 404]);
        const [moved] = responses.filter(({ status }) => status === 200).map(({ body }) => body as Stored);
        expect(moved).toMatchObject({ revision: 2 });
      }
    });
  });
});
