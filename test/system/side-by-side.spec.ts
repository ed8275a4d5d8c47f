import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { MongoClient } from 'mongodb';
import { isKeyAccepted, revokeKey } from '../support/api-keys.js';
import { FeedMirror } from '../support/feed.js';
import { createKey, createOrganization, type Stored, type TestOrganization } from '../support/organization.js';
import { eventually } from '../support/processes.js';
import { jwtSecret, RunningServer } from '../support/server.js';
import { eventsWithoutSeasons, WebhookReceiver } from '../support/webhook-receiver.js';

/** From the old server (0) to the current one (1), and back. */
const directions = [
  [0, 1],
  [1, 0],
] as const;
const script = path.resolve(__dirname, '../../scripts/previous-build.js');

/** The old server may have run the migrations that the current one is to run beside it. */
async function undoMigrations(databaseUri: string): Promise<void> {
  const client = await new MongoClient(databaseUri).connect();
  await client.db().collection('migrations').deleteMany({});
  const key = { organizationId: 1, deletedAt: 1, startDate: 1, _id: 1 } as const;
  await client
    .db()
    .collection('schedules')
    .createIndexes([{ key, name: 'schedules_by_start' }]);
  await client.close();
}

/** As in a rolling upgrade and after a rollback: the old server starts before the new one, and again after it. */
describe('a server and one of the previous commit on the same database', () => {
  jest.setTimeout(300_000);
  let folder: string;
  let receiver: WebhookReceiver;
  let servers: [old: RunningServer, current: RunningServer];
  let organizations: [old: TestOrganization, current: TestOrganization];

  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'previous-build-'));
    await promisify(execFile)(process.execPath, [script, folder]);
    const program = path.join(folder, 'dist/main.js');
    const variables = { JWT_SECRET: jwtSecret, WEBHOOK_ALLOW_PRIVATE_ADDRESSES: 'true' };
    const first = await RunningServer.start(variables, program);
    const shared = { ...variables, MONGODB_URI: first.databaseUri };
    await undoMigrations(first.databaseUri);
    const current = await RunningServer.start(shared);
    await (await createOrganization(first)).call('get', '/schedules').expect(200);
    await first.end();
    servers = [await RunningServer.start(shared, program), current];
    receiver = await WebhookReceiver.start();
    const organization = await createOrganization(servers[0]);
    organizations = [organization, organization.over(current)];
  });
  afterAll(async () => {
    await servers[0].end();
    await servers[1].stop();
    await receiver.stop();
    await rm(folder, { recursive: true, force: true });
  });

  it('serve lists after migrations that ran beside the old one', async () => {
    const database = await servers[1].database();
    const { log } = servers[1];
    expect(log).toContain('The migration 0001-drop-replaced-indexes is complete');
    expect(await database.collection('schedules').indexExists('schedules_by_start')).toBe(false);
    for (const organization of organizations) await organization.call('get', '/schedules').expect(200);
  });

  const etagOf = ({ revision }: Stored) => `"${String(revision)}"`;
  /** The paths of a new team, player and schedule, which the old server creates, with a field to change. */
  const createRecords = async () => {
    const [old] = organizations;
    const team = await old.team();
    const player = await old.player(team._id);
    const schedule = await old.schedule(team._id);
    return [
      // Not the name, which the titles of its games follow.
      { path: `/teams/${team._id}`, field: 'ageGroup', owner: {}, record: team },
      { path: `/teams/${team._id}/players/${player._id}`, field: 'name', owner: {}, record: player },
      { path: `/schedules/${schedule._id}`, field: 'eventTitle', owner: { teamId: team._id }, record: schedule },
    ];
  };

  it('raise the revision with every write of either, keep its ETag, list all changes and send all events', async () => {
    const [old, current] = organizations;
    await old.call('post', '/webhook-endpoints').send({ url: receiver.url, events: eventsWithoutSeasons }).expect(201);
    const records = await createRecords();
    const mirrors = [new FeedMirror(old), new FeedMirror(current)];
    for (const mirror of mirrors) await mirror.follow();
    const turns = [current, old, current, old, current, old] as const;
    for (const { path, field, owner, record } of records) {
      const write = (by: TestOrganization, etag: string, value: string) => {
        const body = { ...owner, [field]: value };
        return by.call('patch', path).set('If-Match', etag).send(body);
      };
      let last = record;
      for (const [turn, writer] of turns.entries()) {
        const reader = writer === old ? current : old;
        const written = (await write(writer, etagOf(last), `version ${turn}`).expect(200)).body as Stored;
        expect(written['revision']).toBe(Number(last['revision']) + 1);
        const read = (etag: string) => reader.call('get', path).set('If-None-Match', etag);
        expect((await read(etagOf(last)).expect(200)).headers['etag']).toBe(etagOf(written));
        await read(etagOf(written)).expect(304);
        await write(reader, etagOf(last), 'too late').expect(412);
        last = written;
      }
    }
    const database = await servers[1].database();
    for (const mirror of mirrors) {
      const isComplete = async () => (await mirror.follow(), (await mirror.differencesFrom(database)).length === 0);
      await eventually('the feed is complete', isComplete);
      const changed = records.map(
        ({ record: { _id } }) => [...mirror.rows.values()].find(({ id }) => id === _id)?.revision,
      );
      expect(changed).toEqual([7, 7, 7]);
    }
    // Newer events can replace older ones of the same record.
    const lastEvents = () =>
      records.map(({ record: { _id } }) =>
        receiver.events.some(({ event: { data } }) => data['id'] === _id && data['revision'] === 7),
      );
    await eventually('the events arrive', () => lastEvents().every(Boolean), 20);
  });

  it.each(directions)('reject a key that the other has revoked (%i, %i)', async (from, to) => {
    const [by, other] = [servers[from], organizations[to]];
    const { id, apiKey } = await createKey(by, other.id);
    expect(await isKeyAccepted(other, apiKey)).toBe(true);
    await revokeKey(by, id).expect(200);
    await eventually('the key is rejected', async () => !(await isKeyAccepted(other, apiKey)), 2);
  });

  it.each(directions)('replay a create with an idem-key of the other (%i, %i)', async (from, to) => {
    const [by, other] = [organizations[from], organizations[to]];
    const { _id } = await by.team();
    const create = (organization: TestOrganization, name: string) =>
      organization.call('post', `/teams/${_id}/players`).set('idem-key', `key-${from}`).send({ name });
    const { text } = await create(by, 'Jordan Lee').expect(201);
    const replayed = await create(other, 'Jordan Lee').expect(201);
    expect([replayed.text, replayed.headers['idempotent-replayed']]).toEqual([text, 'true']);
    await create(other, 'Casey Brown').expect(422);
  });
});
