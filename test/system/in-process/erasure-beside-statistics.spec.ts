import { unconditional } from '../../../src/access/request-context.js';
import { PlayerStatisticsService } from '../../../src/modules/statistics/player-statistics.service.js';
import { newScope, TestApplication } from '../../support/application.js';
import { buildPlayerRecord, buildScheduleRecord, buildTeamRecord } from '../../support/records.js';

const operator = { system: 'cli', ...unconditional } as const;
const rounds = 40;

const application = TestApplication.forTests();

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
