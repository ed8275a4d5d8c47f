import { newRecordId } from '../../src/database/record.js';
import { ApiKeysRepository } from '../../src/modules/api-keys/api-keys.repository.js';
import { AuditEventsRepository } from '../../src/modules/audit/audit-events.repository.js';
import { CalendarLinksRepository } from '../../src/modules/calendars/calendar-links.repository.js';
import { OrganizationsRepository } from '../../src/modules/organizations/organizations.repository.js';
import { HistoryRepository } from '../../src/modules/history/history.repository.js';
import { PlayersRepository } from '../../src/modules/players/players.repository.js';
import { SchedulesRepository } from '../../src/modules/schedules/schedules.repository.js';
import { SeasonsRepository } from '../../src/modules/seasons/seasons.repository.js';
import { ErasureRepository } from '../../src/modules/erasure/erasure.repository.js';
import { PlayerStatisticsRepository } from '../../src/modules/statistics/player-statistics.repository.js';
import { statisticsCategories } from '../../src/modules/statistics/rules/statistics-table.js';
import { TeamsRepository } from '../../src/modules/teams/teams.repository.js';
import { FailedRequestsRepository } from '../../src/modules/usage/failed-requests.repository.js';
import { UsageRepository } from '../../src/modules/usage/usage.repository.js';
import { UsersRepository } from '../../src/modules/users/users.repository.js';
import { WebhookDeliveriesRepository } from '../../src/modules/webhooks/webhook-deliveries.repository.js';
import { WebhookEndpointsRepository } from '../../src/modules/webhooks/webhook-endpoints.repository.js';
import { WebhookQueueRepository } from '../../src/modules/webhooks/webhook-queue.repository.js';
import type { TestApplication } from './application.js';
import { query, transactionsOf, type QueryCase } from './query-case.js';
import { adminQueryCases } from './query-cases-of-admins.js';
import { ChangesRepository } from '../../src/modules/changes/changes.repository.js';
import { auditQueryCases } from './query-cases-of-audit.js';
import { changesQueryCases } from './query-cases-of-changes.js';
import { failedRequestQueryCases } from './query-cases-of-failed-requests.js';
import { historyQueryCases } from './query-cases-of-history.js';
import { apiKeyQueryCases } from './query-cases-of-keys.js';
import { rosterQueryCases } from './query-cases-of-rosters.js';
import { seasonQueryCases } from './query-cases-of-seasons.js';
import { scheduleQueryCases } from './query-cases-of-schedules.js';
import { webhookQueryCases } from './query-cases-of-webhooks.js';
import type { ManyRecords } from './many-records.js';

export const repositories = [
  ...[ApiKeysRepository, OrganizationsRepository, PlayersRepository, PlayerStatisticsRepository],
  ...[SchedulesRepository, SeasonsRepository, TeamsRepository, UsageRepository, UsersRepository],
  ...[AuditEventsRepository, CalendarLinksRepository, ChangesRepository, ErasureRepository],
  ...[FailedRequestsRepository, HistoryRepository],
  ...[WebhookDeliveriesRepository, WebhookEndpointsRepository, WebhookQueueRepository],
];

/** Every query of the repositories. */
export function allQueryCases(application: TestApplication, many: ManyRecords): QueryCase[] {
  return [
    ...adminQueryCases(application, many),
    ...auditQueryCases(application, many),
    ...changesQueryCases(application, many),
    ...failedRequestQueryCases(application, many),
    ...historyQueryCases(application, many),
    ...apiKeyQueryCases(application, many),
    ...rosterQueryCases(application, many),
    ...scheduleQueryCases(application, many),
    ...seasonQueryCases(application, many),
    ...statisticsQueryCases(application, many),
    ...webhookQueryCases(application, many),
  ];
}

function statisticsQueryCases(
  application: TestApplication,
  { tenant, now, game, teams, players, schedules }: ManyRecords,
): QueryCase[] {
  const records = application.get(PlayerStatisticsRepository);
  const within = transactionsOf(application);
  const ofGame = { indexes: ['one_row_per_player_and_category'], documents: 100 };
  const id = String(game);
  const ofTeam = { teamId: String(teams[0]) };
  const replaced = String(schedules[1]);
  const ofPlayer = { indexes: ['rows_of_player'], documents: 30 * statisticsCategories.length };
  const exported = { indexes: ['deliveries_of_record', 'events_of_target'], documents: 160, sorts: true };
  return [
    query(exported, () => application.get(ErasureRepository).findPlayer(tenant, String(players[0]))),
    query({ indexes: ['_id_'], documents: 0 }, () =>
      application.get(ErasureRepository).deleteHistory(tenant, String(newRecordId())),
    ),
    query({ indexes: [], documents: 1_805 }, () => application.get(ErasureRepository).findMentions(tenant, 'Sam')),
    query(ofGame, () => records.findBySchedule(tenant, id, {})),
    query({ ...ofGame, documents: 40 }, () => records.findBySchedule(tenant, id, { categories: ['qb', 'punt'] })),
    query(ofGame, () => records.findBySchedule(tenant, id, ofTeam)),
    within(ofGame, (session) => records.findPlayersBySchedule(tenant, id, session)),
    within(ofGame, (session) => records.replaceBySchedule(tenant, replaced, undefined, [], session)),
    within(ofPlayer, (session) => records.renamePlayer(tenant, String(players[0]), 'Sam', now, session)),
    query({ ...ofPlayer, documents: 0 }, () => records.countNamed(tenant, String(players[0]), 'Sam')),
    query({ ...ofGame, documents: 0 }, () => records.findBySchedule(tenant, String(newRecordId()), {})),
  ];
}
