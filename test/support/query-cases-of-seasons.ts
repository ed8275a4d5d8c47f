import { unconditional } from '../../src/access/request-context.js';
import { newRecordId, toRecordId } from '../../src/database/record.js';
import { Transactions } from '../../src/database/transaction.js';
import { CalendarLinksRepository } from '../../src/modules/calendars/calendar-links.repository.js';
import { PlayersRepository } from '../../src/modules/players/players.repository.js';
import { SchedulesRepository } from '../../src/modules/schedules/schedules.repository.js';
import { PlayerStatisticsRepository } from '../../src/modules/statistics/player-statistics.repository.js';
import { TeamsRepository } from '../../src/modules/teams/teams.repository.js';
import type { TestApplication } from './application.js';
import type { ManyRecords } from './many-records.js';
import { oneById, page, query, type QueryCase } from './query-case.js';

/** Queries of standings, season totals and calendars. */
export function seasonQueryCases(application: TestApplication, many: ManyRecords): QueryCase[] {
  const { scope, teamSeason, teams, players, now } = many;
  const teamRecords = application.get(TeamsRepository);
  const records = application.get(SchedulesRepository);
  const links = application.get(CalendarLinksRepository);
  const transactions = application.get(Transactions);
  const team = String(teams[0]);
  const link = String(many.calendarLink);
  const ofSlot = { indexes: ['one_calendar_link_per_slot'] };
  // Its last change shows few others, unless everything was stored at once, as here.
  const changed = (index: string, documents: number) => ({ indexes: [index], documents });
  return [
    query(
      'the teams of a season are ranked',
      { indexes: ['teams_of_season', '_id_'], documents: 22, sorts: true },
      () => teamRecords.findRanked(scope, teamSeason, teams.slice(0, 3), {}),
    ),
    query('the decided games of a season are read', { indexes: ['decided_games_of_season'], documents: 60 }, () =>
      records.findDecided(scope, teamSeason),
    ),
    query('the games of a season are read', { indexes: ['schedules_by_statistics'], documents: 31 }, () =>
      records.findCounted(scope, String(teamSeason)),
    ),
    query(
      'the schedules of a season are listed',
      { indexes: ['schedules_by_season'], documents: 21, counted: 460 },
      () => records.findMatching(scope, { season: String(teamSeason) }, page),
    ),
    query('changes of teams are looked up', changed('teams_by_change', 40), () => teamRecords.findVersion(scope)),
    query('changes of schedules are looked up', changed('schedules_by_change', 1_805), () =>
      records.findVersion(scope),
    ),
    query('changes of statistics are looked up', changed('schedules_by_statistics', 30), () =>
      records.findStatisticsVersion(scope),
    ),
    query('changes of players are looked up', changed('players_by_change', 600), () =>
      application.get(PlayersRepository).findVersion(scope),
    ),
    query('players are looked up for totals', { indexes: ['_id_'], documents: 20 }, () =>
      application.get(PlayersRepository).findPresent(scope, players.slice(0, 20)),
    ),
    query(
      'the statistics of a season are added up',
      { indexes: ['one_row_per_player_and_category'], documents: 600 },
      () => application.get(PlayerStatisticsRepository).sumByPlayer(scope, many.schedules.slice(0, 30), 'qb'),
    ),
    query('the links of a team are listed', { ...ofSlot, documents: 5 }, () => links.findOfTeam(scope, team)),
    query('a free slot of a team is looked up', { ...ofSlot, documents: 5 }, () => {
      const owner = { organizationId: toRecordId(scope.organization.id), teamId: teams[0] ?? newRecordId() };
      const times = { createdAt: now, updatedAt: now, createdBy: newRecordId() };
      const record = { ...owner, ...times, _id: newRecordId(), tokenHash: 'a new hash' };
      return links.insert(scope, record, (insertion) => transactions.run(unconditional, insertion));
    }),
    query('a link is looked up by its token', { indexes: ['one_calendar_link_per_token'], documents: 1 }, () =>
      links.findByTokenHash(scope, 'hash 3'),
    ),
    query('a link of a team is looked up and deleted', oneById, () =>
      transactions.run(unconditional, async (session) => {
        await links.findOfTeamById(scope, team, link, session);
        await links.remove(scope, String(newRecordId()), session);
      }),
    ),
  ];
}
