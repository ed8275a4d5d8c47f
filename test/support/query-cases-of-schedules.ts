import { unconditional } from '../../src/access/request-context.js';
import { toRecordId } from '../../src/database/record.js';
import { Transactions } from '../../src/database/transaction.js';
import { SchedulesRepository } from '../../src/modules/schedules/schedules.repository.js';
import type { TestApplication } from './application.js';
import { oneById, page, query, type QueryCase } from './query-case.js';
import type { ManyRecords } from './many-records.js';
import { buildScheduleRecord } from './records.js';

/** Queries of schedules. */
export function scheduleQueryCases(
  application: TestApplication,
  { scope, teams, schedules, now, live }: ManyRecords,
): QueryCase[] {
  const records = application.get(SchedulesRepository);
  const transactions = application.get(Transactions);
  const id = String(schedules[80]);
  const owner = String(teams[80 % 40]);
  const day = new Date(now.getTime() - 24 * 60 * 60_000);
  const lock = () => transactions.run(unconditional, (session) => records.lockForStatistics(scope, id, now, session));
  const countWrite = () =>
    transactions.run(unconditional, (session) => records.countStatisticsWrite(scope, [toRecordId(id)], now, session));
  const key = { scope: 'POST /x', keyHash: 'key 3', fingerprint: 'f' };
  const sides = ['schedules_by_team_one', 'schedules_by_team_two'];
  const all = 1_805;
  return [
    query('schedules are searched', { indexes: ['schedules_by_title'], documents: 10 }, () =>
      records.search(scope, 'eventTitle', 'none'),
    ),
    query('all schedules are listed', { indexes: ['schedules_by_start_and_status'], documents: 21, counted: all }, () =>
      records.findMatching(scope, {}, page),
    ),
    query(
      'upcoming schedules are listed',
      { indexes: ['schedules_by_start_and_status'], documents: 21, counted: 300 },
      () => records.findMatching(scope, { upcomingAsOf: now }, page),
    ),
    query(
      'schedules between two moments are listed',
      { indexes: ['schedules_by_start_and_status'], documents: 21, counted: 60 },
      () => records.findMatching(scope, { startDateFrom: day, startDateTo: now }, page),
    ),
    query(
      'live schedules are listed',
      { indexes: ['schedules_by_time_bucket'], documents: live, keys: 80, sorts: true },
      () => records.findMatching(scope, { liveAsOf: now }, page),
    ),
    query('schedules of a team on either side are listed', { indexes: sides, documents: 23, counted: 92 }, () =>
      records.findMatching(scope, { teamId: owner }, page),
    ),
    query(
      'schedules after a moment are listed',
      { indexes: ['schedules_by_start_and_status'], documents: 21, keys: 22, counted: all },
      () => records.findMatching(scope, {}, { limit: 20, after: { at: now } }),
    ),
    query(
      'schedules after one of many at the same moment are listed',
      { indexes: ['schedules_by_start_and_status'], documents: 21, keys: 22, counted: all },
      () => records.findMatching(scope, {}, { limit: 20, after: { at: now, id } }),
    ),
    query('schedules of a team after a moment are listed', { indexes: sides, documents: 23, counted: 92 }, () =>
      records.findMatching(scope, { teamId: owner }, { limit: 20, after: { at: now } }),
    ),
    // Few enough to sort: the status is not in these indexes.
    query('upcoming schedules of a team are listed', { indexes: sides, documents: 32, counted: 16, sorts: true }, () =>
      records.findMatching(scope, { teamId: owner, upcomingAsOf: now }, page),
    ),
    query(
      'schedules that have changed lately are listed',
      { indexes: ['schedules_by_change'], documents: 0, sorts: true },
      () => records.findMatching(scope, { updatedFrom: now }, page),
    ),
    query('practices are listed', { indexes: ['schedules_by_start_and_status'], documents: 65, counted: all }, () =>
      records.findMatching(scope, { eventType: 'practice' }, page),
    ),
    query(
      'cancelled schedules of a month are listed',
      { indexes: ['schedules_by_status'], documents: 21, counted: 60 },
      () => records.findMatching(scope, { status: ['cancelled', 'final'], startDateFrom: day }, page),
    ),
    query(
      'scheduled and postponed schedules are listed',
      { indexes: ['schedules_by_start_and_status'], documents: 21, counted: all },
      () => records.findMatching(scope, { status: ['scheduled', 'postponed'] }, page),
    ),
    query(
      'the schedule with an external ID is listed',
      { indexes: ['one_record_per_external_id'], documents: 1, counted: 1, sorts: true },
      () => records.findMatching(scope, { externalId: 'external-3' }, page),
    ),
    query('games at the same time are looked up', { indexes: ['schedules_by_start_and_status'], documents: 2 }, () =>
      records.findSimultaneous(scope, [
        buildScheduleRecord(scope, {
          ...{ teamOneId: toRecordId(owner), teamTwoId: toRecordId(String(teams[1])), startDate: now },
        }),
      ]),
    ),
    query('schedules are looked up by external IDs', { indexes: ['one_record_per_external_id'], documents: 1 }, () =>
      records.findByExternalIds(scope, ['external-3', 'none']),
    ),
    query('a schedule is looked up', oneById, () => records.findById(scope, id)),
    query('the teams of a game are looked up', oneById, () => records.findGameTeams(scope, id)),
    query('the owner of a schedule is looked up', oneById, () => records.ownerOf(id)),
    query('a schedule is changed', oneById, () =>
      records.updateById(scope, id, { startDate: now }, { teamOneId: owner }),
    ),
    query('the games of a renamed team are read', { indexes: sides, documents: 92 }, () =>
      records.findNext(scope, toRecordId(owner)),
    ),
    query('more games of a renamed team are read', { indexes: sides, documents: 92 }, () =>
      records.findNext(scope, toRecordId(owner), { at: now, id }),
    ),
    query('teams with schedules are looked up', { indexes: sides, documents: 92 }, () =>
      records.countOfTeams(scope, [toRecordId(owner)]),
    ),
    query('the schedules of a deleted team are removed', { indexes: sides, documents: 92 }, () =>
      records.removeFromTeams(scope, [toRecordId(owner)]),
    ),
    query('the versions of the schedules of a calendar are read', { indexes: sides, documents: 92 }, () =>
      records.findCalendarVersions(scope, owner, now),
    ),
    query('the schedules of a calendar are read', { indexes: ['_id_'], documents: 40 }, () => {
      const found = schedules.slice(0, 40).map((_id) => ({ _id, revision: 1, startDate: now }));
      return records.findForCalendar(scope, found);
    }),
    query('a schedule is locked for its statistics', oneById, lock),
    query('a write of statistics is counted', oneById, countWrite),
    query('the idem-key of a schedule is looked up', { indexes: ['one_record_per_idem_key'], documents: 1 }, () =>
      records.findFirstResponse(scope, key),
    ),
  ];
}
