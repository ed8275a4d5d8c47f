import { type Db, MongoClient, ObjectId } from 'mongodb';
import { formatCursor, parseCursor } from '../../src/database/cursor-page.js';
import { expectError } from '../support/expectations.js';
import { callFeed, FeedMirror, readFeedPage } from '../support/feed.js';
import { scrapeMetrics } from '../support/metrics.js';
import { database as databaseName, MongodProcess } from '../support/mongod-process.js';
import { createOrganization, type Stored, type TestOrganization } from '../support/organization.js';
import { eventually } from '../support/processes.js';
import { RunningServer } from '../support/server.js';

jest.setTimeout(120_000);

const day = 24 * 60 * 60 * 1_000;

interface StoredCheckpoint {
  _id: string;
  position: string;
  resumeToken?: { _data: string };
}

const checkpointsOf = (database: Db) => database.collection<StoredCheckpoint>('changes');
const isCheckpoint = { _id: 'checkpoint' };

describe('the change feed', () => {
  let mongod: MongodProcess;
  let client: MongoClient;
  let server: RunningServer;
  let organization: TestOrganization;
  let team: Stored;

  const start = async () => {
    server = await RunningServer.start({ MONGODB_URI: mongod.uri, METRICS_PORT: '0' });
  };

  beforeAll(async () => {
    mongod = await MongodProcess.start();
    client = await new MongoClient(mongod.uri).connect();
    await start();
    organization = await createOrganization(server);
    team = await organization.team();
  });
  beforeEach(() => {
    organization = organization.over(server);
  });
  afterEach(() => mongod.failCommands());
  afterAll(async () => {
    await client.close();
    await server.end();
    await mongod.remove();
  });

  it('is rebuilt after the oplog lost its position, so that an old cursor still finds every change', async () => {
    const mirror = new FeedMirror(organization);
    await mirror.followUntilEqual(client.db());
    const stream = client.db().watch();
    await stream.tryNext();
    const removed = await organization.player(team._id, { name: 'Removed' });
    const { _id: token } = await stream.next();
    await stream.close();
    const changed = await organization.player(team._id, { name: 'Changed' });
    await mirror.followUntilEqual(client.db());
    await server.end();
    // An event long before the first entry of the oplog. MongoDB accepts the token of an idle stream if the set is new.
    const _data = (token as { _data: string })._data.replace(/^82.{8}/, '8200000001');
    await checkpointsOf(client.db()).updateOne(isCheckpoint, { $set: { resumeToken: { _data } } });
    const players = client.db().collection('players');
    await players.deleteOne({ _id: new ObjectId(removed._id) });
    await players.updateOne({ _id: new ObjectId(changed._id) }, { $set: { name: 'New', updatedAt: new Date() } });
    await start();
    organization = organization.over(server);
    mirror.switchTo(organization);
    await eventually('the feed is rebuilt', () => server.log.includes('The change feed is being built'), 60);
    const rebuilt = async () => (await checkpointsOf(client.db()).findOne(isCheckpoint))?.resumeToken?._data !== _data;
    await eventually('the feed continues', rebuilt, 60);
    await mirror.followUntil('the change', () => mirror.get('player', changed._id)?.record?.['name'] === 'New');
    await mirror.followUntilEqual(client.db());
    expect(mirror.get('player', removed._id)).toBeUndefined();
  });

  it.each(['dropped', 'renamed'])('is rebuilt after a collection was %s and restored', async (how) => {
    const mirror = new FeedMirror(organization);
    const lost = await organization.player(team._id, { name: 'Lost' });
    await mirror.followUntilEqual(client.db());
    const players = client.db().collection('players');
    const kept = await players.find({ _id: { $ne: new ObjectId(lost._id) } }).toArray();
    await (how === 'dropped' ? players.drop() : players.rename('playersBefore'));
    await players.insertMany(kept);
    await mirror.followUntilEqual(client.db());
    expect(mirror.get('player', lost._id)).toBeUndefined();
  });

  it('rejects a cursor after 30 days', async () => {
    const { nextCursor } = await readFeedPage(organization, { kinds: 'team' });
    const list = JSON.stringify([organization.id, '/changes', ['team']]);
    const position = parseCursor(nextCursor, list)?.replace(/^\d+/, '') ?? '';
    const readAfter = (days: number) =>
      callFeed(organization, { kinds: 'team', cursor: formatCursor(`${Date.now() - days * day}${position}`, list) });
    expect((await readAfter(29)).status).toBe(200);
    expectError(await readAfter(31), 41001);
  });

  it('saves its position while nothing changes, so that it stays in the oplog', async () => {
    const position = async () => (await checkpointsOf(client.db()).findOne(isCheckpoint))?.position ?? '';
    const before = await position();
    await eventually('the position is saved', async () => (await position()) > before, 30);
  });

  const countBuilds = () => server.log.split('is being built from the stored records"').length - 1;
  const degraded = async () => {
    const response = await server.call('get', '/health/ready').expect(200);
    return (response.body as { degraded?: string[] }).degraded ?? [];
  };
  const lag = async () => (await scrapeMetrics(server)).sum('ffapi_change_feed_lag_seconds');

  it('of a server that is upgraded is built without delaying readiness, says how far it is, and is late only after a failure', async () => {
    const upgraded = await organization.team();
    for (let index = 0; index < 5; index++) await organization.player(upgraded._id);
    await server.end();
    await client.db().collection('changes').drop();
    const fault = { failCommands: ['aggregate'], namespace: `${databaseName}.players` };
    await mongod.failCommands({ ...fault, blockConnection: true, blockTimeMS: 12_000, errorCode: 50 });

    await start();
    organization = organization.over(server);
    const isBuilt = /^The change feed is being built( from the stored records|, \d+ of about \d+ records)/;
    const response = await callFeed(organization);
    expect(expectError(response, 50301).message).toMatch(new RegExp(`${isBuilt.source}; retry later\\.$`));
    expect(response.headers['retry-after']).toBe('5');
    await eventually('it is degraded', async () => (await degraded()).length > 0, 30);
    expect(await degraded()).toEqual([expect.stringMatching(isBuilt)]);
    // The teams are in the feed; five players are being copied.
    const progress = /The change feed is being built, (\d+) of about (\d+) records/;
    await eventually('it says so', async () => progress.test((await degraded())[0] ?? ''), 60);
    expect(await lag()).toBeNaN();
    const { message } = expectError(await callFeed(organization), 50301);
    const [said = '', done, total] = progress.exec(message) ?? [];
    expect(message).toBe(`${said}; retry later.`);
    expect(Number(done)).toBeGreaterThan(0);
    expect(Number(total)).toBeGreaterThanOrEqual(Number(done) + 5);
    expect(server.log).toContain(said);
    // A build that fails is late.
    await eventually('it is late', async () => (await lag()) > 10, 30);
    expect(countBuilds()).toBe(1);

    await mongod.failCommands();
    const mirror = new FeedMirror(organization);
    await mirror.followUntilEqual(client.db(), 60);
    expect([...mirror.rows.values()].filter(({ teamId }) => teamId === upgraded._id)).toHaveLength(5);
    await eventually('it is no longer degraded', async () => (await degraded()).length === 0);
    expect(await lag()).toBeGreaterThanOrEqual(0);
  });

  it.each([
    ['an operation that was killed', 11601],
    ['a user without rights', 13],
  ])('continues from its position, without a rebuild, after %s', async (_error, errorCode) => {
    const mirror = new FeedMirror(organization);
    const team = await organization.team();
    await mirror.followUntil('the team', () => mirror.get('team', team._id) !== undefined);
    const [builds, length] = [countBuilds(), server.log.length];
    const hasLogged = (text: string) => () => server.log.slice(length).includes(text);
    await mongod.failCommands({ failCommands: ['getMore'], errorCode });
    await eventually('the stream fails', hasLogged('The change feed is interrupted'));
    const player = await organization.player(team._id);
    await mongod.failCommands();
    await eventually('the stream continues', hasLogged('The change feed continues'));
    await mirror.followUntil('the player', () => mirror.get('player', player._id) !== undefined);
    expect(countBuilds()).toBe(builds);
  });
});
