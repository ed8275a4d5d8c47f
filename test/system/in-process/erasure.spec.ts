import { erasedModels, resetModels } from '../../../src/modules/erasure/erasure.repository.js';
import { TestApplication, newScope } from '../../support/application.js';
import { unconditional } from '../../../src/access/request-context.js';
import { PlayerStatisticsService } from '../../../src/modules/statistics/player-statistics.service.js';
import { buildPlayerRecord, buildScheduleRecord, buildTeamRecord } from '../../support/records.js';

const application = TestApplication.forTests();

/** The models whose records belong to an organization. */
const ownedModels = () =>
  application.connection.modelNames().filter((name) => {
    return 'organizationId' in application.connection.model(name).schema.paths;
  });

it('a reset deletes or keeps the records of every collection with organizations', () => {
  const kept = ['ApiKey', 'AuditEvent', 'RequestCount', 'User', 'WebhookEndpoint'];
  expect([...resetModels, ...kept].sort()).toEqual(ownedModels().sort());
});

it('an erasure deletes the records of every collection with organizations, except the audit', () => {
  expect([...erasedModels, 'AuditEvent'].sort()).toEqual(ownedModels().sort());
});

const operator = { system: 'cli', ...unconditional } as const;
const rounds = 40;

it('the name of a player who is erased while statistics are written does not return', async () => {
  const statistics = application.get(PlayerStatisticsService);
  const collection = (name: string) => application.connection.collection<object>(name);
  const scope = newScope();
  const team = buildTeamRecord(scope);
  const game = buildScheduleRecord(scope, { teamOneId: team._id });
  const players = Array.from({ length: rounds }, () => buildPlayerRecord(scope, team._id));
  await collection('teams').insertOne(team);
  await collection('schedules').insertOne(game);
  await collection('players').insertMany(players);
  for (const { _id } of players) {
    const row = { playerId: String(_id), category: 'qb', stats: {} };
    await Promise.allSettled([
      statistics.replace(operator, String(game._id), [row]),
      statistics.erasePlayer(operator, String(_id)),
    ]);
    expect(await collection('players').findOne({ _id })).toBeNull();
    expect(await collection('playerStatistics').distinct('playerName', { playerName: 'Jordan Lee' })).toEqual([]);
  }
});
