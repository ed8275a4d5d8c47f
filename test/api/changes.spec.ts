import { ObjectId } from 'mongodb';
import { expectFieldError } from '../support/expectations.js';
import { callFeed, FeedMirror, type FeedPage, readFeed, readFeedPage } from '../support/feed.js';
import { createGame, qbRow } from '../support/game.js';
import { createOrganization, type Stored, TestOrganization } from '../support/organization.js';
import { RunningServer } from '../support/server.js';
import { deleteSchedule } from '../support/schedules.js';

describe('GET /changes', () => {
  const server = RunningServer.forTests();
  const organization = TestOrganization.forTests(server, beforeEach);
  let mirror: FeedMirror;

  beforeEach(() => {
    mirror = new FeedMirror(organization);
  });

  const path = ({ teamId, _id }: Stored) => `/teams/${String(teamId)}/players/${_id}`;

  /** Creates a season, a team, players and a schedule, and waits until the feed has them. */
  async function createRecords(players = 1) {
    const season = await organization.season();
    const team = await organization.team({ season: season._id });
    const roster: Stored[] = [];
    for (let index = 0; index < players; index++) roster.push(await organization.player(team._id));
    const schedule = await organization.schedule(team._id);
    await mirror.followUntil('all records are in the feed', () => mirror.get('schedule', schedule._id) !== undefined);
    return { season, team, players: roster, schedule };
  }

  it('lists every record once, in the order of the commits, in its response representation', async () => {
    const { season, team, players, schedule } = await createRecords();
    const { rows } = await readFeed(organization);
    const records = [season, team, ...players, schedule];
    const own = rows.filter(({ record }) => record?.['organizationId'] === organization.id);
    expect(own.map(({ record }) => record)).toEqual(records);
    expect(own.map(({ kind, id, deleted }) => ({ kind, id, deleted }))).toEqual(
      (['season', 'team', 'player', 'schedule'] as const).map((kind, at) => ({
        kind,
        id: records[at]?._id,
        deleted: false,
      })),
    );
    expect(own.map(({ teamId }) => teamId)).toEqual([undefined, undefined, team._id, team._id]);
    expect(own.map(({ revision }) => revision)).toEqual([1, 1, 1, 1]);
    const instant: unknown = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    expect(own.map(({ changedAt }) => changedAt)).toEqual(own.map(() => instant));
  });

  it('delivers only what has changed since the cursor, each record once at its latest change', async () => {
    const { team, players } = await createRecords(3);
    const [first, second] = players as [Stored, Stored];
    await organization.call('patch', path(second)).send({ name: 'Alex Kim' }).expect(200);
    await organization.call('patch', path(first)).send({ name: 'Sam One' }).expect(200);
    await organization.call('patch', path(first)).send({ name: 'Sam Two' }).expect(200);
    await organization.player(team._id, { name: 'Robin' });
    const before = mirror.delivered.length;
    await mirror.followUntil('the last change', () =>
      [...mirror.rows.values()].some(({ record }) => record?.['name'] === 'Robin'),
    );
    const since = mirror.delivered.slice(before);
    const names = since.map(({ record }) => record?.['name']);
    expect(names.slice(-1)).toEqual(['Robin']);
    expect(names.indexOf('Alex Kim')).toBeLessThan(names.indexOf('Sam Two'));
    expect(new Set(since.map(({ id }) => id)).size).toBe(3);
    expect(await mirror.follow()).toEqual([]);
  });

  it('pages with hasMore, and every page has a nextCursor', async () => {
    await createRecords(5);
    const all = await readFeed(organization);
    expect(all.pages).toHaveLength(1);
    for (const limit of ['1', '3', String(all.rows.length)]) {
      const { rows, pages } = await readFeed(organization, { limit });
      expect(rows).toEqual(all.rows);
      expect(pages.map(({ hasMore }) => hasMore)).toEqual(pages.map((_, at) => at < pages.length - 1));
      expect(pages.map(({ data }) => data.length).slice(0, -1)).toEqual(pages.slice(1).map(() => Number(limit)));
      for (const page of pages) expect(page.nextCursor).toMatch(/^[A-Za-z0-9_-]{20,200}$/);
    }
    const { data, nextCursor, hasMore } = await readFeedPage(organization, { cursor: all.nextCursor });
    expect({ data, hasMore }).toEqual({ data: [], hasMore: false });
    expect(await readFeedPage(organization, { cursor: nextCursor })).toMatchObject({ data: [], hasMore: false });
  });

  it('keeps deleted records as tombstones with their team, externalId and next revision, without the record', async () => {
    const { team, players, schedule } = await createRecords(2);
    const [player] = players as [Stored];
    await organization.call('patch', path(player)).send({ externalId: 'player-17' }).expect(200);
    await organization.call('delete', path(player)).expect(200);
    await deleteSchedule(organization, schedule._id, team._id);
    const before = mirror.delivered.length;
    await mirror.followUntil('the deletions', () => mirror.get('schedule', schedule._id) === undefined);
    // A record that changed again while the feed was read can be listed twice.
    const tombstones = [...new Map(mirror.delivered.slice(before).map((row) => [row.id, row])).values()];
    expect(tombstones).toMatchObject([
      { kind: 'player', id: player._id, externalId: 'player-17', teamId: team._id, revision: 3, deleted: true },
      { kind: 'schedule', id: schedule._id, teamId: team._id, revision: 2, deleted: true },
    ]);
    for (const row of tombstones) expect(row).not.toHaveProperty('record');
    const { rows } = await readFeed(organization);
    expect(rows.filter(({ deleted }) => deleted).map(({ id }) => id)).toEqual([player._id, schedule._id]);
    const database = await server.database();
    const expiry = await database
      .collection<{ _id: string; expiresAt: Date }>('changes')
      .findOne({ _id: `player.${player._id}` });
    expect(Math.round(((expiry?.expiresAt.getTime() ?? 0) - Date.now()) / 86_400_000)).toBe(31);
  });

  it('has a tombstone without more than its ID for a record that was erased', async () => {
    const { players } = await createRecords(1);
    const [player] = players as [Stored];
    await (await server.database()).collection('players').deleteOne({ _id: new ObjectId(player._id) });
    await mirror.followUntil('the deletion', () => mirror.get('player', player._id) === undefined);
    const last = mirror.delivered.at(-1);
    expect(last).toEqual({ kind: 'player', id: player._id, deleted: true, changedAt: last?.changedAt });
  });

  it('lists a record again for a second update within the same millisecond', async () => {
    const { players } = await createRecords();
    const [{ _id }] = players as [Stored];
    const database = await server.database();
    const update = { $set: { name: 'Second' }, $inc: { revision: 1 } };
    await database.collection('players').updateOne({ _id: new ObjectId(_id) }, update);
    await mirror.followUntil('the change', () => mirror.get('player', _id)?.record?.['name'] === 'Second');
  });

  it('does not list a record again for an update of internal fields, such as a removed idem-key', async () => {
    const { players } = await createRecords(1);
    const [player] = players as [Stored];
    const stored = (await server.database()).collection('players');
    await stored.updateOne({ _id: new ObjectId(player._id) }, { $unset: { idempotency: 1 } });
    await organization.team({ name: 'Later' });
    const before = mirror.delivered.length;
    await mirror.followUntil('the team', () =>
      [...mirror.rows.values()].some(({ record }) => record?.['name'] === 'Later'),
    );
    expect(mirror.delivered.slice(before).map(({ kind }) => kind)).toEqual(['season', 'team']);
  });

  describe('with kinds', () => {
    it('lists only these kinds, separated by commas or repeated', async () => {
      await createRecords(2);
      const kinds = async (query: string) => {
        const response = await organization.call('get', `/changes?${query}`).expect(200);
        return [...new Set((response.body as FeedPage).data.map(({ kind }) => kind))].sort();
      };
      expect(await kinds('kinds=player')).toEqual(['player']);
      expect(await kinds('kinds=player,team')).toEqual(['player', 'team']);
      expect(await kinds('kinds=schedule&kinds=%20team')).toEqual(['schedule', 'team']);
      expect(await kinds('kinds=playerStatistics')).toEqual([]);
    });

    it('continues a cursor only with the same kinds, in any order', async () => {
      await createRecords(2);
      const { nextCursor: cursor } = await readFeedPage(organization, { kinds: 'player,team', limit: '1' });
      expect((await readFeedPage(organization, { kinds: 'team,player,team', cursor })).data).toHaveLength(2);
      for (const kinds of ['player', 'player,team,schedule', 'season']) {
        expectFieldError(await callFeed(organization, { kinds, cursor }), 'cursor');
      }
      expectFieldError(await callFeed(organization, { cursor }), 'cursor');
    });

    it('rejects an unknown or empty kind', async () => {
      for (const kinds of ['player,', 'Player']) expectFieldError(await callFeed(organization, { kinds }), 'kinds');
    });
  });

  describe('of player statistics', () => {
    it('lists the schedule without a record or revision for each write, and a tombstone for its deletion', async () => {
      const game = await createGame(server);
      const feed = new FeedMirror(game.organization, { kinds: 'playerStatistics' });
      const all = new FeedMirror(game.organization);
      const id = game.schedule._id;
      await all.followUntil('the schedule', () => all.get('schedule', id) !== undefined);
      expect(await feed.follow()).toEqual([]);
      await game.write([qbRow(game.homePlayer, 3)]);
      await feed.followUntil('the statistics', () => feed.get('playerStatistics', id) !== undefined);
      const [row] = feed.delivered;
      expect(row).toEqual({
        kind: 'playerStatistics',
        id,
        teamId: game.home._id,
        deleted: false,
        changedAt: row?.changedAt,
      });
      await game.write([qbRow(game.homePlayer, 4)]);
      await feed.followUntil('the second write', () => feed.delivered.length >= 2);
      await deleteSchedule(game.organization, id, game.home._id);
      await feed.followUntil('the tombstone', () => feed.get('playerStatistics', id) === undefined);
      expect(feed.delivered.map(({ deleted }) => deleted)).toEqual([false, false, true]);
      // A write of statistics is no change of the schedule.
      const schedules = (await all.follow()).filter(({ kind }) => kind === 'schedule');
      expect(schedules.map(({ deleted }) => deleted)).toEqual([true]);
    });

    it('lists no tombstone of a schedule that had none', async () => {
      const { team, schedule } = await createRecords();
      await deleteSchedule(organization, schedule._id, team._id);
      await mirror.followUntil('the deletion', () => mirror.get('schedule', schedule._id) === undefined);
      expect((await readFeed(organization, { kinds: 'playerStatistics' })).rows).toEqual([]);
    });
  });

  it("rejects another organization's cursor, and malformed ones", async () => {
    const { nextCursor } = await readFeedPage(await createOrganization(server));
    const { nextCursor: own } = await readFeedPage(organization);
    const foreign = [
      nextCursor,
      `${own}A`,
      own.slice(1),
      own.replace(/.$/, '_'),
      'x',
      Buffer.from('1.2.3').toString('base64url'),
    ];
    for (const cursor of foreign) expectFieldError(await callFeed(organization, { cursor }), 'cursor');
  });
});
