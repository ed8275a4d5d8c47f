import { mongo } from 'mongoose';
import { unconditional, type Tenant, type IdempotencyKey } from '../../../src/access/request-context.js';
import { newRecordId, toRecordId } from '../../../src/database/record.js';
import { erasedModels, ErasureRepository, resetModels } from '../../../src/modules/erasure/erasure.repository.js';
import { PlayerPrivacyService } from '../../../src/modules/erasure/player-privacy.service.js';
import { changeIdOf } from '../../../src/modules/history/history.schema.js';
import { OrganizationsService } from '../../../src/modules/organizations/organizations.service.js';
import { PlayerStatisticsService } from '../../../src/modules/statistics/player-statistics.service.js';
import { TeamsRepository } from '../../../src/modules/teams/teams.repository.js';
import { IdempotencyKeyUsed } from '../../../src/records/synced.repository.js';
import { FixedClock, newTenant, TestApplication } from '../../support/application.js';
import { buildPlayerRecord, buildScheduleRecord, buildTeamRecord } from '../../support/records.js';

const clock = new FixedClock();
const application = TestApplication.forTests(clock);

/** The models whose records belong to an organization. */
const ownedModels = () =>
  application.connection.modelNames().filter((name) => {
    return 'organizationId' in application.connection.model(name).schema.paths;
  });

it('a reset deletes or keeps the records of every collection with organizations', () => {
  const kept = [
    ...['ApiKeyRecord', 'AuditEventRecord', 'FailedRequestRecord'],
    ...['RequestCount', 'UserRecord', 'WebhookEndpointRecord'],
  ];
  expect([...resetModels, ...kept].sort()).toEqual(ownedModels().sort());
});

it('an erasure deletes the records of every collection with organizations, except the audit', () => {
  expect([...new Set(erasedModels), 'AuditEventRecord'].sort()).toEqual(ownedModels().sort());
});

it('the export and erasure of players know every model, and every field that names a player', () => {
  const models = application.connection.modelNames();
  const withPlayers = [
    ...['AuditEventRecord', 'Change', 'PlayerRecord'],
    ...['PlayerStatisticsRecord', 'RecordChange', 'WebhookDeliveryRecord'],
  ];
  const without = [
    ...['ApiKeyRecord', 'CalendarLinkRecord', 'FailedRequestRecord', 'OrganizationRecord', 'RequestCount'],
    ...['ScheduleRecord', 'SeasonRecord', 'TeamRecord', 'UserRecord', 'WebhookEndpointRecord'],
  ];
  expect([...withPlayers, ...without].sort()).toEqual(models.sort());
  const fields = models.flatMap((name) =>
    Object.keys(application.connection.model(name).schema.paths).map((path) => `${name}.${path}`),
  );
  const naming = fields.filter((field) => /\..*player/i.test(field));
  expect(naming).toEqual(['PlayerStatisticsRecord.playerId', 'PlayerStatisticsRecord.playerName']);
});

it('an erasure counts the history of every record, although the change stream deletes it with the record', async () => {
  const records = application.get(ErasureRepository);
  const tenant = newTenant();
  const player = buildPlayerRecord(tenant, newRecordId());
  const { _id, organizationId } = player;
  const change = { _id: changeIdOf('player', String(_id), 1), organizationId };
  await application.connection.collection<object>('players').insertOne(player);
  await application.connection.collection<typeof change>('recordHistory').insertOne(change);
  const total = await records.count(tenant, erasedModels);
  let done = 0;
  await records.deleteAll(tenant, erasedModels, async (deleted) => {
    done += deleted;
    const isLeft = await application.connection.collection('players').findOne({ _id });
    if (!isLeft) await records.deleteHistory(tenant, String(_id));
  });
  expect([total, done]).toEqual([2, 2]);
});

const operator = { system: 'cli', ...unconditional } as const;
const rounds = 40;

it('an erasure begins at the time of the database, as a server with another clock would complete it too early', async () => {
  const organizations = application.get(OrganizationsService);
  const databaseTime = async () => {
    const hello = await application.connection.db?.command({ hello: 1 });
    return hello?.['localTime'] as Date;
  };
  const creator = { name: 'Dana', email: `${String(newRecordId())}@example.com`, password: 'correct horse battery' };
  const { _id } = await organizations.create(operator, { name: 'Hawks Club', creator });
  await organizations.update(operator, _id, { disabled: true });
  const before = await databaseTime();
  const { erasingSince } = await organizations.startErasure(operator, _id, 'Hawks Club');
  expect(Number(new Date(erasingSince ?? 0))).toBeGreaterThanOrEqual(Number(before));
  expect(Number(new Date(erasingSince ?? 0))).toBeLessThanOrEqual(Number(await databaseTime()));
});

it('the name of a player who is erased while statistics are written does not return', async () => {
  const statistics = application.get(PlayerStatisticsService);
  const collection = (name: string) => application.connection.collection<object>(name);
  const tenant = newTenant();
  const team = buildTeamRecord(tenant);
  const game = buildScheduleRecord(tenant, { teamOneId: team._id });
  const players = Array.from({ length: rounds }, () => buildPlayerRecord(tenant, team._id));
  await collection('teams').insertOne(team);
  await collection('schedules').insertOne(game);
  await collection('players').insertMany(players);
  for (const { _id } of players) {
    const row = { playerId: String(_id), category: 'qb', stats: {} };
    await Promise.allSettled([
      statistics.replace(operator, String(game._id), [row]),
      application.get(PlayerPrivacyService).erase(operator, String(_id)),
    ]);
    expect(await collection('players').findOne({ _id })).toBeNull();
    expect(await collection('playerStatistics').distinct('playerName', { playerName: 'Jordan Lee' })).toEqual([]);
  }
});

it('a player is erased even if the search for texts with the name takes too long', async () => {
  const tenant = newTenant();
  const player = buildPlayerRecord(tenant, newRecordId());
  const players = application.connection.collection<object>('players');
  await players.insertOne(player);
  const tooLong = new mongo.MongoServerError({ code: 50, message: 'operation exceeded time limit' });
  const search = jest.spyOn(application.get(ErasureRepository), 'findMentions').mockRejectedValueOnce(tooLong);
  const erased = await application.get(PlayerPrivacyService).erase(operator, String(player._id));
  expect(search).toHaveBeenCalledTimes(1);
  search.mockRestore();
  expect(erased).toEqual({ rows: 0, mentions: undefined });
  expect(await players.findOne({ _id: player._id })).toBeNull();
});

const day = 24 * 60 * 60 * 1_000;
const key: IdempotencyKey = { route: 'POST /teams', keyHash: 'hash of the key', fingerprint: 'hash of the body' };
const response = { _id: '1', name: 'Hawks' };

describe('insertIdempotent', () => {
  let teams: TeamsRepository;
  let tenant: Tenant;

  beforeAll(() => {
    teams = application.get(TeamsRepository);
  });

  beforeEach(() => {
    tenant = newTenant();
  });

  const create = (name = 'Hawks', of = key) =>
    teams.insertIdempotent(tenant, buildTeamRecord(tenant, { name }), of, { ...response, name });
  const stored = () =>
    application.connection
      .collection('teams')
      .find({ organizationId: toRecordId(tenant.organization.id) })
      .sort({ _id: 1 })
      .toArray();

  it('clears an expired key and keeps its record unchanged', async () => {
    await create('Hawks');
    const [before] = await stored();
    clock.advance(day);
    await create('Foxes');
    const [after] = await stored();
    const { idempotency, ...record }: Record<string, unknown> = before ?? {};
    expect(idempotency).toBeDefined();
    expect(after).toEqual(record);
  });

  it('counts 24 hours from the new creation', async () => {
    await create('Hawks');
    clock.advance(day);
    await create('Foxes');
    clock.advance(day - 1);
    await expect(create('Bears')).rejects.toBeInstanceOf(IdempotencyKeyUsed);
    expect(await teams.findFirstResponse(tenant, key)).toMatchObject({
      answer: expect.stringContaining('Foxes') as string,
    });
    clock.advance(1);
    expect(await teams.findFirstResponse(tenant, key)).toBeNull();
    await create('Bears');
    expect(await stored()).toHaveLength(3);
  });

  it('creates one record for twenty concurrent calls with a key whose 24 hours are over', async () => {
    await create('Hawks');
    clock.advance(day);
    const all = await Promise.allSettled(Array.from({ length: 20 }, (_unused, index) => create(`Team ${index}`)));
    const rejected = all.flatMap((one) => (one.status === 'rejected' ? [one.reason as unknown] : []));
    expect(rejected).toHaveLength(19);
    for (const reason of rejected) expect(reason).toBeInstanceOf(IdempotencyKeyUsed);
    const documents = await stored();
    expect(documents).toHaveLength(2);
    const stamped = documents.find(({ idempotency }) => idempotency !== undefined);
    const name = stamped?.['name'] as string;
    expect(JSON.parse((await teams.findFirstResponse(tenant, key))?.answer ?? '')).toMatchObject({ name });
  });

  it.each([
    ['another path', { ...key, route: 'POST /schedules' }],
    ['another key', { ...key, keyHash: 'another' }],
  ])('creates another record for %s', async (_, of) => {
    await create('Hawks');
    expect(await teams.findFirstResponse(tenant, of)).toBeNull();
    await create('Foxes', of);
    expect(await stored()).toHaveLength(2);
  });
});

describe('the version of the records of an organization', () => {
  it('differs after every write, and is the time of the last one when none can follow with an earlier time', async () => {
    const [tenant, teams] = [newTenant(), application.get(TeamsRepository)];
    const versions: string[] = [];
    const writeAt = async (updatedAt: Date) => {
      await teams.insertIdempotent(tenant, buildTeamRecord(tenant, { updatedAt }), undefined, {});
      versions.push(await teams.findVersion(tenant));
    };
    const last = clock.now();
    await writeAt(last);
    await writeAt(last);
    // Stored later than a record with a later time.
    await writeAt(new Date(last.getTime() - 1_000));
    clock.advance(60_000);
    versions.push(await teams.findVersion(tenant));
    await writeAt(clock.now());
    expect(new Set(versions).size).toBe(5);
    expect(versions[3]).toBe(String(last.getTime()));
    expect(await teams.findVersion(newTenant())).toBe('');
  });
});
