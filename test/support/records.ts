import { newRecordId, toRecordId, type RecordId } from '../../src/database/record.js';
import type { Tenant } from '../../src/access/request-context.js';
import type { PlayerRecord } from '../../src/modules/players/player.schema.js';
import { timeBucketOf } from '../../src/modules/schedules/time-bucket.js';
import type { ScheduleRecord } from '../../src/modules/schedules/schedule.schema.js';
import type { TeamRecord } from '../../src/modules/teams/team.schema.js';

const createdAt = new Date('2027-03-01T00:00:00.000Z');

function recordOf(tenant: Tenant) {
  return {
    _id: newRecordId(),
    organizationId: toRecordId(tenant.organization.id),
    createdBy: newRecordId(),
    deletedAt: null,
    revision: 1,
    createdAt: createdAt,
    updatedAt: createdAt,
  };
}

/** Builds a stored team. */
export function buildTeamRecord(tenant: Tenant, fields: Partial<TeamRecord> = {}): TeamRecord {
  const kind = { footballType: 'flag', ageGroup: 'open', gender: 'coed', isArchived: false };
  return { ...recordOf(tenant), name: 'Hawks', season: newRecordId(), ...kind, ...fields };
}

/** Builds a stored player. */
export function buildPlayerRecord(tenant: Tenant, teamId: RecordId, fields: Partial<PlayerRecord> = {}): PlayerRecord {
  return { ...recordOf(tenant), teamId, name: 'Jordan Lee', position: ['QB'], ...fields };
}

/** Builds a stored game on 1 May 2027 from 10:00 to 10:30. */
export function buildScheduleRecord(tenant: Tenant, fields: Partial<ScheduleRecord> = {}): ScheduleRecord {
  const record = {
    ...recordOf(tenant),
    teamOneId: newRecordId(),
    season: newRecordId(),
    teamTwoName: 'Foxes',
    eventType: 'game',
    eventTitle: 'Hawks vs Foxes',
    startDate: new Date('2027-05-01T10:00:00.000Z'),
    endDate: new Date('2027-05-01T10:30:00.000Z'),
    duration: 30,
    matchupFormat: 'halves',
    teamFormat: '7v7',
    isTestGame: false,
    isScrimmage: false,
    enableYardage: false,
    allowZeroYardStart: false,
    overtimeType: 'unlimited',
    status: 'scheduled',
    ...fields,
  } as const;
  return { ...record, timeBucket: timeBucketOf(record), ...fields };
}
