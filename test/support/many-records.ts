import type { Connection } from 'mongoose';
import type { Tenant } from '../../src/access/request-context.js';
import { changeIdOf } from '../../src/modules/history/history.schema.js';
import { newRecordId, type RecordId, toRecordId } from '../../src/database/record.js';
import { statisticsCategories } from '../../src/modules/statistics/rules/statistics-table.js';
import { buildPlayerRecord, buildScheduleRecord, buildTeamRecord } from './records.js';
import { newTenant } from './application.js';

const minute = 60_000;

/** How many audit events each of the first users has. */
export const auditEventsOfUser = 50;

/** The IDs of the stored records, for queries. */
export type ManyRecords = Awaited<ReturnType<typeof manyRecords>>;

/** The second factor of the tenth user. */
export const secondFactor = { secret: 'secret', keyId: 'old key', lastStep: 7, recoveryCodes: ['hash'] };

/** Stores enough records to reveal a query without an index: one large organization beside small ones. */
export async function manyRecords(connection: Connection) {
  const now = new Date('2027-05-01T12:00:00.000Z');
  const size = { teams: 40, playersEach: 15, past: 1_500, live: 5, future: 300 };
  const large = await insertOrganizationRecords(connection, now, size);
  const owner = toRecordId(large.tenant.organization.id);
  for (let small = 0; small < 5; small++) {
    await insertOrganizationRecords(connection, now, { teams: 10, playersEach: 5, past: 50, live: 2, future: 20 });
  }
  const users = await insert(connection, 'users', 150, (index) => ({
    email: `user${index}@example.com`,
    role: index === 0 ? 'superAdmin' : 'organizationAdmin',
    ...(index > 0 && { organizationId: index < 100 ? owner : newRecordId() }),
    ...(index % 10 === 9 && { secondFactor: index === 9 ? secondFactor : { ...secondFactor, keyId: 'new key' } }),
    createdAt: at(now, index),
  }));
  await insert(connection, 'organizations', 150, (index) => ({
    name: `Organization ${index}`,
    creatorId: users[0],
    createdAt: at(now, index),
  }));
  const organization = { _id: owner, name: 'Large', creatorId: users[0], createdAt: now };
  await connection.collection('organizations').insertOne(organization);
  const keys = await insert(connection, 'apiKeys', 300, (index) => ({
    keyPrefix: `ffk_live_${String(index).padStart(12, '0')}`,
    secretHash: 'hash',
    status: index % 10 === 9 ? 'revoked' : 'active',
    ...(index % 5 === 0 && { expiresAt: at(now, index % 2 === 0 ? index : -index) }),
    ...(index % 3 === 0 && { lastUsedAt: at(now, index) }),
    organizationId: index < 100 ? owner : newRecordId(),
    createdAt: at(now, index),
  }));
  const seasons = await insert(connection, 'seasons', 400, (index) => ({
    name: `Season ${index}`,
    ...stampOf(now, index),
    startDate: at(now, index * 10),
    ...(index % 4 !== 0 && { organizationId: index % 4 === 1 ? owner : newRecordId() }),
  }));
  const events = await insert(connection, 'auditEvents', 600, (index) => ({
    at: at(now, index < 300 ? index - 250 : 0),
    action: index % 2 === 0 ? 'createApiKey' : 'login',
    actor: { kind: 'user', _id: users[Math.floor(index / auditEventsOfUser) % users.length] },
    ...(index % 3 !== 0 && { organizationId: index % 3 === 1 ? owner : newRecordId() }),
    target: { kind: 'user', _id: users[index % users.length] },
  }));
  await insert(connection, 'requestCounts', 600, (index) => ({
    _id: index === 0 ? 'stored' : String(newRecordId()),
    organizationId: index % 2 === 0 ? owner : newRecordId(),
    hour: at(now, -60 * Math.floor(index / 4)),
    requests: 1,
    errors: 0,
    outcomes: { [`${String(keys[index % 50])}|listTeams|403|40305`]: { requests: 1, detail: 'teams:read' } },
  }));
  const failures = await insert(connection, 'failedRequests', 600, (index) => ({
    at: at(now, index < 300 ? index - 250 : 0),
    traceId: `trace-${index}`,
    organizationId: index % 2 === 0 ? owner : newRecordId(),
    apiKey: { id: String(keys[index % 50]) },
    status: index % 3 === 0 ? 401 : 403,
    error: [40101, 40305, 40306][index % 3],
  }));
  const changed = Array.from({ length: 600 }, (_, index) => ({
    _id: changeIdOf('team', String(index < 500 ? large.teams[0] : newRecordId()), index + 1),
    organizationId: index < 550 ? owner : newRecordId(),
    at: at(now, index),
    action: index === 0 ? 'created' : 'updated',
    values: { name: `Team ${index}` },
  }));
  await connection.collection<{ _id: string }>('recordHistory').insertMany(changed);
  const [calendarLink = newRecordId()] = await insert(connection, 'calendarLinks', 300, (index) => ({
    organizationId: index < 5 ? owner : newRecordId(),
    teamId: index < 5 ? large.teams[0] : newRecordId(),
    slot: index % 20,
    tokenHash: `hash ${index}`,
    createdAt: at(now, index),
  }));
  const rows = ['season', 'team', 'player', 'schedule', 'playerStatistics'].flatMap((kind) =>
    Array.from({ length: 300 }, (_, index) => {
      const owners = [owner, null, newRecordId()];
      const _id = `${kind}.${String(newRecordId())}`;
      const position = `${String(index).padStart(16, '0')}.${_id}`;
      return { _id, kind, organizationId: owners[index % 3], position, created: position, changedAt: now };
    }),
  );
  const checkpoint = { _id: 'checkpoint', position: 'f'.repeat(16) };
  await connection.collection<{ _id: string }>('changes').insertMany([...rows, checkpoint]);
  return {
    ...large,
    ...(await insertWebhooks(connection, now, large.tenant)),
    now,
    calendarLink,
    users,
    keys,
    season: seasons[0] ?? newRecordId(),
    live: 5,
    /** One of many at `now`. */
    event: events[450] ?? newRecordId(),
    failure: failures[450] ?? newRecordId(),
  };
}

function stampOf(now: Date, index: number) {
  return {
    idempotency: { scope: 'POST /x', keyHash: `key ${index}`, fingerprint: 'f', answer: '{}', at: now },
    externalId: `external-${index}`,
  };
}

async function insertOrganizationRecords(
  connection: Connection,
  now: Date,
  size: Record<'teams' | 'playersEach' | 'past' | 'live' | 'future', number>,
) {
  const tenant = newTenant();
  const teamSeason = newRecordId();
  const teams = Array.from({ length: size.teams }, (_, index) =>
    buildTeamRecord(tenant, {
      createdAt: at(now, index),
      ...stampOf(now, index),
      ...(index % 4 === 0 && { season: teamSeason }),
    }),
  );
  const players = teams
    .flatMap((team) => Array.from({ length: size.playersEach }, () => buildPlayerRecord(tenant, team._id)))
    .map((player, index) => ({
      ...player,
      createdAt: at(now, index),
      updatedAt: at(now, index),
      ...stampOf(now, index),
    }));
  const begins = [
    ...Array.from({ length: size.past }, (_, index) => at(now, -60 - index * 30)),
    ...Array.from({ length: size.live }, (_, index) => at(now, -index)),
    ...Array.from({ length: size.future }, (_, index) => at(now, 1 + index * 30)),
  ];
  const schedules = begins.map((startDate, index) => {
    const teamOne = teams[index % size.teams];
    const teamTwo = teams[(index + 1) % size.teams];
    const sides = {
      ...(teamOne && { teamOneId: teamOne._id, season: teamOne.season }),
      ...(teamTwo && { teamTwoId: teamTwo._id }),
    };
    return buildScheduleRecord(tenant, {
      ...sides,
      startDate,
      endDate: at(startDate, 30),
      eventType: index % 3 === 0 ? 'practice' : 'game',
      status: index % 9 === 1 ? 'final' : 'scheduled',
      ...(index < 30 && { statisticsWrittenAt: startDate, statisticsRevision: 1 }),
      ...stampOf(now, index),
    });
  });
  const organizationId = toRecordId(tenant.organization.id);
  const rows = schedules.slice(0, 30).flatMap(({ _id: scheduleId }) =>
    players.slice(0, 20).flatMap((player) =>
      statisticsCategories.map((category) => ({
        organizationId,
        scheduleId,
        category,
        playerId: player._id,
        playerName: player.name,
        teamId: player.teamId,
        teamName: 'Hawks',
        stats: {},
        createdAt: now,
        updatedAt: now,
      })),
    ),
  );
  await connection.collection('teams').insertMany(teams);
  await connection.collection('players').insertMany(players);
  await connection.collection('schedules').insertMany(schedules);
  await connection.collection('playerStatistics').insertMany(rows);
  const ids = (records: readonly { _id: RecordId }[]) => records.map(({ _id }) => _id);
  return {
    tenant,
    /** The season of every fourth team. */
    teamSeason,
    teams: ids(teams),
    players: ids(players),
    schedules: ids(schedules),
    /** It has statistics of all players. */
    game: schedules[0]?._id ?? newRecordId(),
  };
}

/** Stores endpoints of many organizations, of which few are due, and many deliveries to one of them. */
async function insertWebhooks(connection: Connection, now: Date, { organization }: Tenant) {
  const organizationId = toRecordId(organization.id);
  const endpoints = await insert(connection, 'webhookEndpoints', 300, (index) => ({
    organizationId: index < 9 ? organizationId : newRecordId(),
    slot: index < 9 ? index : 0,
    url: `https://erp.example.com/${index}`,
    secret: 'whsec_c2VjcmV0',
    isEnabled: index % 3 !== 2,
    createdAt: at(now, index),
    ...(index % 6 === 1 && { failingSince: now }),
    ...(index % 6 === 3 && { limitedUntil: now }),
    ...(index % 3 === 2 && { disabledReason: index % 2 === 0 ? 'gone' : 'organization' }),
    // Compared with the time of the database.
    dueAt: at(new Date(), index < 30 ? -1 - index : 60 + index),
    pausedUntil: at(new Date(), index % 4 === 3 ? 60 : -60),
    leasedUntil: at(new Date(), index % 5 === 4 ? 60 : -1),
  }));
  const [endpoint = newRecordId()] = endpoints;
  const deliveries = await insert(connection, 'webhookDeliveries', 1_000, (index) => ({
    organizationId: index < 700 ? organizationId : newRecordId(),
    endpointId: index < 500 ? endpoint : endpoints[1 + (index % 200)],
    event: 'team.created',
    status: ['pending', 'succeeded', 'succeeded', 'failed'][index % 4],
    ...(index % 4 === 0 && { nextAttemptAt: at(now, index) }),
    attempts: [{ at: at(now, -index), durationMs: 1 }],
    record: 'team.6650f1f77bcf86cd79943911',
    createdAt: at(now, -Math.floor(index / 50)),
  }));
  return { endpoint, delivery: deliveries[4] ?? newRecordId() };
}

async function insert(
  connection: Connection,
  collection: string,
  count: number,
  make: (index: number) => object,
): Promise<RecordId[]> {
  const records = Array.from({ length: count }, (_, index) => ({ _id: newRecordId(), ...make(index) }));
  await connection.collection(collection).insertMany(records);
  return records.map(({ _id }) => _id);
}

function at(base: Date, minutes: number): Date {
  return new Date(base.getTime() + minutes * minute);
}
