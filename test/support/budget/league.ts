import type { Db } from 'mongodb';
import { unconditional } from '../../../src/access/request-context.js';
import { newRecordId, type RecordId, toRecordId } from '../../../src/database/record.js';
import { statisticsCategories } from '../../../src/modules/statistics/rules/statistics-table.js';
import { eventually } from '../processes.js';
import { createOrganization, type TestOrganization } from '../organization.js';
import { buildPlayerRecord, buildScheduleRecord, buildTeamRecord } from '../records.js';
import type { RunningServer } from '../server.js';

const hour = 3_600_000;

/** An organization whose records always have the same number and kinds. */
export interface BudgetLeague {
  readonly organization: TestOrganization;
  readonly season: string;
  readonly team: string;
  readonly opponent: string;
  /** Teams without players and schedules. */
  readonly unused: readonly string[];
  /** Players of the team. */
  readonly players: readonly string[];
  /** Upcoming games of the team against the opponent. */
  readonly schedules: readonly string[];
  /** A past game of both teams with 60 rows of statistics: 12 players, 6 of each team, in 5 categories. */
  readonly game: string;
  /** Five webhook endpoints. */
  readonly endpoints: readonly string[];
  /** Calendar links of the team. */
  readonly calendarLinks: readonly string[];
  /** One of 30 deliveries to the first endpoint. */
  readonly delivery: string;
}

/** Creates 25 teams, 24 players, 30 past, 2 live and 40 upcoming games, and 3 visible seasons. */
export async function createBudgetLeague(server: RunningServer, database: Db): Promise<BudgetLeague> {
  const organization = await createOrganization(server);
  const tenant = { organization: { id: organization.id }, ...unconditional };
  const now = Date.now();
  const at = (hours: number) => new Date(now + hours * hour);
  const seasons = Array.from({ length: 3 }, (_, index) => ({
    _id: newRecordId(),
    name: 'Spring',
    revision: 1,
    organizationId: toRecordId(organization.id),
    ...{ startDate: at(index), endDate: at(1_000), createdAt: at(0), updatedAt: at(0) },
  }));
  const season = seasons[0] && { season: seasons[0]._id };
  const teams = Array.from({ length: 25 }, (_, index) =>
    buildTeamRecord(tenant, {
      createdAt: at(-1_000 + index),
      updatedAt: at(-24),
      externalId: `known-${index}`,
      ...season,
    }),
  );
  const [team, opponent] = teams.map(({ _id }) => _id) as [RecordId, RecordId];
  const sides = { teamOneId: team, teamTwoId: opponent, ...season };
  const players = Array.from({ length: 24 }, (_, index) =>
    buildPlayerRecord(tenant, index < 12 ? team : opponent, {
      createdAt: at(-500 + index),
      updatedAt: at(-24),
      externalId: `known-${index % 12}`,
    }),
  );
  const schedulesFrom = (from: number, count: number, step = 1) =>
    Array.from({ length: count }, (_, index) => {
      const startDate = at(from + index * step);
      return buildScheduleRecord(tenant, {
        updatedAt: at(-24),
        ...sides,
        startDate,
        endDate: new Date(startDate.getTime() + 2 * hour),
        externalId: `known-${from === 24 ? index : `${from}-${index}`}`,
      });
    });
  const [past, live, future] = [schedulesFrom(-100, 30), schedulesFrom(-1, 2, 0.1), schedulesFrom(24, 40)];
  const [decided] = past;
  const game = decided?._id ?? newRecordId();
  // Long enough ago for its sums to be kept.
  if (decided !== undefined) Object.assign(decided, { statisticsWrittenAt: at(-48), statisticsRevision: 1 });
  const rows = [...players.slice(0, 6), ...players.slice(12, 18)].flatMap(({ _id: playerId, name, teamId }) =>
    statisticsCategories.map((category) => ({
      _id: newRecordId(),
      organizationId: toRecordId(organization.id),
      scheduleId: game,
      ...{ category, playerId, playerName: name, teamId, teamName: 'Hawks', stats: {} },
      ...{ createdAt: at(0), updatedAt: at(0) },
    })),
  );
  await database.collection('seasons').insertMany(seasons);
  await database.collection('teams').insertMany(teams);
  await database.collection('players').insertMany(players);
  await database.collection('schedules').insertMany([...past, ...live, ...future]);
  await database.collection('playerStatistics').insertMany(rows);
  await waitForFeed(database, organization.id, seasons.length + teams.length + players.length + 73);
  const webhooks = await insertWebhooks(database, organization.id, at(0));
  const links = Array.from({ length: 6 }, (_, slot) => ({
    ...{ _id: newRecordId(), organizationId: toRecordId(organization.id), teamId: team, slot },
    ...{ tokenHash: String(newRecordId()), createdBy: newRecordId(), createdAt: at(0), updatedAt: at(0) },
  }));
  await database.collection('calendarLinks').insertMany(links);
  const texts = (records: readonly { _id: RecordId }[]) => records.map(({ _id }) => String(_id));
  return {
    organization,
    season: String(seasons[0]?._id),
    team: String(team),
    opponent: String(opponent),
    unused: texts(teams.slice(2)),
    players: texts(players.slice(0, 12)),
    schedules: texts(future),
    game: String(game),
    endpoints: texts(webhooks.endpoints),
    calendarLinks: texts(links),
    delivery: String(webhooks.deliveries[0]?._id),
  };
}

async function insertWebhooks(database: Db, organization: string, now: Date) {
  const common = { organizationId: toRecordId(organization), createdAt: now, updatedAt: now };
  const endpoints = Array.from({ length: 5 }, (_, slot) => ({
    ...common,
    ...{ _id: newRecordId(), slot, url: 'https://erp.invalid/', secret: 'whsec_c2VjcmV0', isEnabled: true },
    ...{ createdBy: newRecordId(), pausedUntil: now, leasedUntil: now },
  }));
  const deliveries = Array.from({ length: 30 }, () => ({
    ...common,
    ...{ _id: newRecordId(), endpointId: endpoints[0]?._id, event: 'team.created', status: 'failed' },
    ...{ attempts: [], record: `team.${String(newRecordId())}` },
  }));
  await database.collection('webhookEndpoints').insertMany(endpoints);
  await database.collection('webhookDeliveries').insertMany(deliveries);
  return { endpoints, deliveries };
}

/** Waits until the change feed has all records, so that its pages are always the same. */
async function waitForFeed(database: Db, organizationId: string, count: number): Promise<void> {
  const changes = database.collection<{ _id: string; position: string }>('changes');
  await eventually('the feed has all records', async () => {
    const rows = await changes
      .find({ organizationId: toRecordId(organizationId) }, { sort: { position: -1 }, projection: { position: 1 } })
      .toArray();
    const checkpoint = await changes.findOne({ _id: 'checkpoint' });
    return rows.length === count && String(checkpoint?.position) > String(rows[0]?.position);
  });
}
