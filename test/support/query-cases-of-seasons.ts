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
import { oneById, page, query, transactionsOf, type QueryCase } from './query-case.js';

/** Queries of standings, season totals and calendars. */
export function seasonQueryCases(application: TestApplication, many: ManyRecords): QueryCase[] {
  const { tenant, teamSeason, teams, players, now } = many;
  const teamRecords = application.get(TeamsRepository);
  const records = application.get(SchedulesRepository);
  const links = application.get(CalendarLinksRepository);
  const within = transactionsOf(application);
  const team = String(teams[0]);
  const link = String(many.calendarLink);
  const ofSlot = { indexes: ['one_calendar_link_per_slot'] };
  // Its last change shows few others, unless everything was stored at once, as here.
  const changed = (index: string, documents: number) => ({ indexes: [index], documents });
  return [
    query({ indexes: ['teams_of_season', '_id_'], documents: 22, sorts: true }, () =>
      teamRecords.findRanked(tenant, teamSeason, teams.slice(0, 3), {}),
    ),
    query({ indexes: ['decided_games_by_season'], documents: 60 }, () => records.findDecided(tenant, teamSeason)),
    query({ indexes: ['schedules_by_statistics'], documents: 31 }, () =>
      records.findCounted(tenant, String(teamSeason)),
    ),
    query({ indexes: ['schedules_by_season'], documents: 21, counted: 460 }, () =>
      records.findMatching(tenant, { season: String(teamSeason) }, page),
    ),
    // No index has the order, too: the games of one season are few enough to sort.
    query({ indexes: ['decided_games_by_season'], documents: 60, counted: 60, sorts: true }, () =>
      records.findMatching(tenant, { season: String(teamSeason), status: ['final'] }, page),
    ),
    query(changed('teams_by_change', 40), () => teamRecords.findVersion(tenant)),
    query(changed('schedules_by_change', 1_805), () => records.findVersion(tenant)),
    query(changed('schedules_by_statistics', 30), () => records.findStatisticsVersion(tenant)),
    query(changed('players_by_change', 600), () => application.get(PlayersRepository).findVersion(tenant)),
    query({ indexes: ['_id_'], documents: 20 }, () =>
      application.get(PlayersRepository).findPresent(tenant, players.slice(0, 20)),
    ),
    query({ indexes: ['one_row_per_player_and_category'], documents: 600 }, () =>
      application.get(PlayerStatisticsRepository).sumByPlayer(tenant, many.schedules.slice(0, 30), 'qb'),
    ),
    query({ ...ofSlot, documents: 5 }, () => links.findOfTeam(tenant, team)),
    query({ ...ofSlot, documents: 5 }, () => {
      const owner = { organizationId: toRecordId(tenant.organization.id), teamId: teams[0] ?? newRecordId() };
      const times = { createdAt: now, updatedAt: now, createdBy: newRecordId() };
      const record = { ...owner, ...times, _id: newRecordId(), tokenHash: 'a new hash' };
      return links.insert(tenant, record, (insertion) => application.get(Transactions).run(unconditional, insertion));
    }),
    query({ indexes: ['one_calendar_link_per_token'], documents: 1 }, () => links.findByTokenHash(tenant, 'hash 3')),
    within(oneById, async (session) => {
      await links.findOfTeamById(tenant, team, link, session);
      await links.remove(tenant, String(newRecordId()), session);
    }),
  ];
}
