import { GameUpdater } from '../../../src/modules/schedules/game-updater.js';
import { SchedulesRepository } from '../../../src/modules/schedules/schedules.repository.js';
import { TeamsRepository } from '../../../src/modules/teams/teams.repository.js';
import { FixedClock, newRequestContext, TestApplication } from '../../support/application.js';
import { buildScheduleRecord, buildTeamRecord } from '../../support/records.js';

const clock = new FixedClock(new Date('2027-04-01T10:00:00.000Z'));
const application = TestApplication.forTests(clock);

afterEach(() => jest.restoreAllMocks());

it('gives games the latest name of a team that is renamed again while the games of others are rewritten', async () => {
  const context = newRequestContext();
  const [teams, schedules] = [application.get(TeamsRepository), application.get(SchedulesRepository)];
  // Leaves all games to the background.
  teams.onRename = () => Promise.resolve();
  const linkedTo = async (name: string) => {
    const team = buildTeamRecord(context, { name });
    await teams.insertIdempotent(context, team, undefined, {});
    const game = buildScheduleRecord(context, { teamTwoId: team._id, teamTwoName: name });
    await schedules.insertIdempotent(context, game, undefined, {});
    return { team: String(team._id), game: String(game._id) };
  };
  const [first, second] = [await linkedTo('Hawks'), await linkedTo('Foxes')];
  await teams.updateById(context, first.team, { name: 'Eagles' });
  clock.advance(1);
  await teams.updateById(context, second.team, { name: 'Wolves' });

  const findNext = schedules.findNext.bind(schedules);
  jest.spyOn(schedules, 'findNext').mockImplementationOnce(async (...given) => {
    await teams.updateById(context, second.team, { name: 'Bears' });
    clock.advance(60_000);
    return findNext(...given);
  });
  await application.get(GameUpdater).work();
  await application.get(GameUpdater).work();
  expect(await schedules.findById(context, first.game)).toMatchObject({ teamTwoName: 'Eagles', revision: 2 });
  expect(await schedules.findById(context, second.game)).toMatchObject({ teamTwoName: 'Bears' });
  expect(await teams.findRenaming()).toEqual([]);
});
