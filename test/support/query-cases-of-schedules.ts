import { toRecordId } from '../../src/database/record.js';
import { SchedulesRepository } from '../../src/modules/schedules/schedules.repository.js';
import type { TestApplication } from './application.js';
import { oneById, page, query, transactionsOf, type QueryCase } from './query-case.js';
import type { ManyRecords } from './many-records.js';
import { buildScheduleRecord } from './records.js';

/** Queries of schedules. */
export function scheduleQueryCases(
  application: TestApplication,
  { tenant, teams, schedules, now, live }: ManyRecords,
): QueryCase[] {
  const records = application.get(SchedulesRepository);
  const within = transactionsOf(application);
  const id = String(schedules[80]);
  const owner = String(teams[80 % 40]);
  const day = new Date(now.getTime() - 24 * 60 * 60_000);
  const key = { route: 'POST /x', keyHash: 'key 3', fingerprint: 'f' };
  const sides = ['schedules_by_team_one', 'schedules_by_team_two'];
  const all = 1_805;
  return [
    query({ indexes: ['schedules_by_title'], documents: 10 }, () => records.search(tenant, 'eventTitle', 'none')),
    query({ indexes: ['schedules_by_start_and_status'], documents: 21, counted: all }, () =>
      records.findMatching(tenant, {}, page),
    ),
    query({ indexes: ['schedules_by_start_and_status'], documents: 21, counted: 300 }, () =>
      records.findMatching(tenant, { filter: 'upcoming', asOf: now }, page),
    ),
    query({ indexes: ['schedules_by_start_and_status'], documents: 21, counted: 60 }, () =>
      records.findMatching(tenant, { startDateFrom: day, startDateTo: now }, page),
    ),
    query({ indexes: ['schedules_by_time_bucket'], documents: live, keys: 80, sorts: true }, () =>
      records.findMatching(tenant, { filter: 'live', asOf: now }, page),
    ),
    query({ indexes: sides, documents: 23, counted: 92 }, () => records.findMatching(tenant, { teamId: owner }, page)),
    query({ indexes: ['schedules_by_start_and_status'], documents: 21, keys: 22, counted: all }, () =>
      records.findMatching(tenant, {}, { limit: 20, after: { at: now } }),
    ),
    query({ indexes: ['schedules_by_start_and_status'], documents: 21, keys: 22, counted: all }, () =>
      records.findMatching(tenant, {}, { limit: 20, after: { at: now, id } }),
    ),
    query({ indexes: sides, documents: 23, counted: 92 }, () =>
      records.findMatching(tenant, { teamId: owner }, { limit: 20, after: { at: now } }),
    ),
    // Few enough to sort: the status is not in these indexes.
    query({ indexes: sides, documents: 32, counted: 16, sorts: true }, () =>
      records.findMatching(tenant, { teamId: owner, filter: 'upcoming', asOf: now }, page),
    ),
    query({ indexes: ['schedules_by_change'], documents: 0, sorts: true }, () =>
      records.findMatching(tenant, { updatedFrom: now }, page),
    ),
    query({ indexes: ['schedules_by_start_and_status'], documents: 65, counted: all }, () =>
      records.findMatching(tenant, { eventType: 'practice' }, page),
    ),
    query({ indexes: ['schedules_not_scheduled'], documents: 21, counted: 60 }, () =>
      records.findMatching(tenant, { status: ['cancelled', 'final'], startDateFrom: day }, page),
    ),
    query({ indexes: ['schedules_by_start_and_status'], documents: 21, counted: all }, () =>
      records.findMatching(tenant, { status: ['scheduled', 'postponed'] }, page),
    ),
    query({ indexes: ['one_record_per_external_id'], documents: 1, counted: 1, sorts: true }, () =>
      records.findMatching(tenant, { externalId: 'external-3' }, page),
    ),
    query({ indexes: ['schedules_by_start_and_status'], documents: 2 }, () =>
      records.findSimultaneous(tenant, [
        buildScheduleRecord(tenant, {
          ...{ teamOneId: toRecordId(owner), teamTwoId: toRecordId(String(teams[1])), startDate: now },
        }),
      ]),
    ),
    query({ indexes: ['one_record_per_external_id'], documents: 1 }, () =>
      records.findByExternalIds(tenant, ['external-3', 'none']),
    ),
    query(oneById, () => records.findById(tenant, id)),
    query(oneById, () => records.findGameTeams(tenant, id)),
    query(oneById, () => records.ownerOf(id)),
    query(oneById, () => records.updateById(tenant, id, { startDate: now }, { teamOneId: owner })),
    query({ indexes: sides, documents: 92 }, () => records.findNext(tenant, toRecordId(owner))),
    query({ indexes: sides, documents: 92 }, () => records.findNext(tenant, toRecordId(owner), { at: now, id })),
    query({ indexes: sides, documents: 92 }, () => records.countOfTeams(tenant, [toRecordId(owner)])),
    query({ indexes: sides, documents: 92 }, () => records.findForCalendar(tenant, owner, now)),
    within(oneById, (session) => records.lockForStatistics(tenant, id, now, session)),
    within(oneById, (session) => records.countStatisticsWrite(tenant, [toRecordId(id)], now, session)),
    query({ indexes: ['one_record_per_idem_key'], documents: 1 }, () => records.findFirstResponse(tenant, key)),
  ];
}
