import { newRecordId } from '../../src/database/record.js';
import { Transactions } from '../../src/database/transaction.js';
import { ApiKeysRepository } from '../../src/api-keys/api-keys.repository.js';
import { PresentedKeysRepository } from '../../src/api-keys/presented-keys.repository.js';
import { AuditEventsRepository } from '../../src/audit/audit-events.repository.js';
import { OrganizationsRepository } from '../../src/organizations/organizations.repository.js';
import { PlayersRepository } from '../../src/players/players.repository.js';
import { SchedulesRepository } from '../../src/schedules/schedules.repository.js';
import { SeasonsRepository } from '../../src/seasons/seasons.repository.js';
import { PlayerStatisticsRepository } from '../../src/statistics/player-statistics.repository.js';
import { TeamsRepository } from '../../src/teams/teams.repository.js';
import { UsersRepository } from '../../src/users/users.repository.js';
import type { TestApplication } from './application.js';
import { byId, type Look, page } from './look.js';
import { adminLooks } from './looks-of-admins.js';
import { auditLooks } from './looks-of-audit.js';
import { keyLooks } from './looks-of-keys.js';
import { rosterLooks } from './looks-of-rosters.js';
import type { ManyRecords } from './many-records.js';

export const repositories = [
  ...[ApiKeysRepository, OrganizationsRepository, PlayersRepository, PlayerStatisticsRepository],
  ...[SchedulesRepository, SeasonsRepository, TeamsRepository, UsersRepository],
  ...[PresentedKeysRepository, AuditEventsRepository],
];

/** Every way in which the repositories look for records. */
export function looksOf(application: TestApplication, many: ManyRecords): Look[] {
  return [
    ...adminLooks(application, many),
    ...auditLooks(application, many),
    ...keyLooks(application, many),
    ...rosterLooks(application, many),
    ...scheduleLooks(application, many),
    ...statisticsLooks(application, many),
  ];
}

function scheduleLooks(application: TestApplication, { scope, teams, schedules, now, live }: ManyRecords): Look[] {
  const records = application.get(SchedulesRepository);
  const transactions = application.get(Transactions);
  const id = String(schedules[80]);
  const owner = String(teams[80 % 40]);
  const day = new Date(now.getTime() - 24 * 60 * 60_000);
  const lock = () => transactions.run({}, (session) => records.lockForStatistics(scope, id, now, session));
  const key = { scope: 'POST /x', keyHash: 'key 3', fingerprint: 'f' };
  const sides = ['schedules_of_team_one', 'schedules_of_team_two'];
  const all = 1_805;
  return [
    {
      name: 'all schedules are listed',
      call: () => records.findMatching(scope, {}, page),
      indexes: ['schedules_by_start'],
      documents: 20,
      counted: all,
    },
    {
      name: 'upcoming schedules are listed',
      call: () => records.findMatching(scope, { upcomingAt: now }, page),
      indexes: ['schedules_by_start'],
      documents: 20,
      counted: 300,
    },
    {
      name: 'schedules between two moments are listed',
      call: () => records.findMatching(scope, { startDateFrom: day, startDateTo: now }, page),
      indexes: ['schedules_by_start'],
      documents: 20,
      counted: 60,
    },
    {
      name: 'live schedules are listed',
      call: () => records.findMatching(scope, { liveAt: now }, page),
      indexes: ['schedules_by_end'],
      documents: live,
      sorts: true,
    },
    {
      name: 'schedules of a team on either side are listed',
      call: () => records.findMatching(scope, { teamId: owner }, page),
      indexes: sides,
      documents: 23,
      counted: 92,
    },
    {
      name: 'upcoming schedules of a team are listed',
      call: () => records.findMatching(scope, { teamId: owner, upcomingAt: now }, page),
      indexes: sides,
      documents: 16,
      counted: 16,
    },
    {
      name: 'practices are listed',
      call: () => records.findMatching(scope, { eventType: 'practice' }, page),
      indexes: ['schedules_by_start'],
      documents: 65,
      counted: all,
    },
    { name: 'a schedule is looked up', call: () => records.findById(scope, id), indexes: byId, documents: 1 },
    {
      name: 'the sides of a game are looked up',
      call: () => records.findSides(scope, id),
      indexes: byId,
      documents: 1,
    },
    { name: 'the owner of a schedule is looked up', call: () => records.ownerOf(id), indexes: byId, documents: 1 },
    {
      name: 'a schedule is changed',
      call: () => records.updateById(scope, owner, id, { startDate: now }),
      indexes: byId,
      documents: 1,
    },
    { name: 'a schedule is locked for its statistics', call: lock, indexes: byId, documents: 1 },
    {
      name: 'the idem-key of a schedule is looked up',
      call: () => records.findStamp(scope, key),
      indexes: ['one_record_per_idem_key'],
      documents: 1,
    },
  ];
}

function statisticsLooks(application: TestApplication, { scope, game, teams, schedules }: ManyRecords): Look[] {
  const records = application.get(PlayerStatisticsRepository);
  const transactions = application.get(Transactions);
  const ofGame = { indexes: ['one_row_per_player_and_category'], documents: 100 };
  const id = String(game);
  const ofTeam = { teamId: String(teams[0]) };
  const replaced = String(schedules[1]);
  return [
    { name: 'the statistics of a game are read', call: () => records.findOfSchedule(scope, id, {}), ...ofGame },
    {
      name: 'one category of a game is read',
      call: () => records.findOfSchedule(scope, id, { categories: ['qb', 'punt'] }),
      ...ofGame,
      documents: 40,
    },
    { name: 'one side of a game is read', call: () => records.findOfSchedule(scope, id, ofTeam), ...ofGame },
    {
      name: 'who played in a game is read',
      call: () => transactions.run({}, (session) => records.findPlayersOfSchedule(scope, id, session)),
      ...ofGame,
    },
    {
      name: 'the statistics of a game are replaced',
      call: () => transactions.run({}, (session) => records.replaceOfSchedule(scope, replaced, [], session)),
      ...ofGame,
    },
    {
      name: 'the statistics of an unknown game are read',
      call: () => records.findOfSchedule(scope, String(newRecordId()), {}),
      ...ofGame,
      documents: 0,
    },
  ];
}
