import { unconditional } from '../../src/common/context/request-context.js';
import { Transactions } from '../../src/database/transaction.js';
import { SchedulesRepository } from '../../src/modules/schedules/schedules.repository.js';
import type { TestApplication } from './application.js';
import { cachedSchedules } from './cached-schedules.js';
import { byId, type QueryCase, page } from './query-case.js';
import type { ManyRecords } from './many-records.js';

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
  const key = { scope: 'POST /x', keyHash: 'key 3', fingerprint: 'f' };
  const sides = ['schedules_of_team_one', 'schedules_of_team_two'];
  const all = 1_805;
  return [
    {
      name: 'all schedules are listed',
      call: () => records.findMatching(scope, {}, page),
      indexes: ['schedules_by_start'],
      documents: 21,
      counted: all,
    },
    {
      name: 'many schedules that were counted before are listed',
      call: async () => {
        const cached = cachedSchedules(application);
        await cached.findMatching(scope, {}, page);
        await cached.findMatching(scope, {}, page);
      },
      indexes: ['schedules_by_start', 'schedules_by_change'],
      documents: 21,
      counted: all,
    },
    {
      name: 'upcoming schedules are listed',
      call: () => records.findMatching(scope, { upcomingAsOf: now }, page),
      indexes: ['schedules_by_start'],
      documents: 21,
      counted: 300,
    },
    {
      name: 'schedules between two moments are listed',
      call: () => records.findMatching(scope, { startDateFrom: day, startDateTo: now }, page),
      indexes: ['schedules_by_start'],
      documents: 21,
      counted: 60,
    },
    {
      name: 'live schedules are listed',
      call: () => records.findMatching(scope, { liveAsOf: now }, page),
      indexes: ['schedules_by_time_bucket'],
      documents: live,
      keys: 80,
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
      name: 'schedules after a moment are listed',
      call: () => records.findMatching(scope, {}, { limit: 20, after: { at: now } }),
      indexes: ['schedules_by_start'],
      documents: 21,
      keys: 22,
      counted: all,
    },
    {
      name: 'schedules after one of many at the same moment are listed',
      call: () => records.findMatching(scope, {}, { limit: 20, after: { at: now, id } }),
      indexes: ['schedules_by_start'],
      documents: 21,
      keys: 22,
      counted: all,
    },
    {
      name: 'schedules of a team after a moment are listed',
      call: () => records.findMatching(scope, { teamId: owner }, { limit: 20, after: { at: now } }),
      indexes: sides,
      documents: 23,
      counted: 92,
    },
    {
      name: 'upcoming schedules of a team are listed',
      call: () => records.findMatching(scope, { teamId: owner, upcomingAsOf: now }, page),
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
    {
      name: 'the schedule with an external ID is listed',
      call: () => records.findMatching(scope, { externalId: 'external-3' }, page),
      indexes: ['one_record_per_external_id'],
      documents: 1,
      counted: 1,
      sorts: true,
    },
    {
      name: 'schedules are looked up by external IDs',
      call: () => records.findByExternalIds(scope, ['external-3', 'none']),
      indexes: ['one_record_per_external_id'],
      documents: 1,
    },
    { name: 'a schedule is looked up', call: () => records.findById(scope, id), indexes: byId, documents: 1 },
    {
      name: 'the teams of a game are looked up',
      call: () => records.findGameTeams(scope, id),
      indexes: byId,
      documents: 1,
    },
    { name: 'the owner of a schedule is looked up', call: () => records.ownerOf(id), indexes: byId, documents: 1 },
    {
      name: 'a schedule is changed',
      call: () => records.updateById(scope, id, { startDate: now }, { teamOneId: owner }),
      indexes: byId,
      documents: 1,
    },
    { name: 'a schedule is locked for its statistics', call: lock, indexes: byId, documents: 1 },
    {
      name: 'the idem-key of a schedule is looked up',
      call: () => records.findFirstResponse(scope, key),
      indexes: ['one_record_per_idem_key'],
      documents: 1,
    },
  ];
}
