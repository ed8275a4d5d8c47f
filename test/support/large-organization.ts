import { type Db, ObjectId } from 'mongodb';
import { unconditional } from '../../src/access/request-context.js';
import { newRecordId, type RecordId, toRecordId } from '../../src/database/record.js';
import { statisticsCategories } from '../../src/modules/statistics/rules/statistics-table.js';
import { createOrganization, type Stored, type TestOrganization } from './organization.js';
import { buildPlayerRecord, buildScheduleRecord, buildTeamRecord } from './records.js';
import type { RunningServer } from './server.js';

const hour = 3_600_000;
/** As many records are stored with one command. */
const batch = 5_000;
const chainTeams = 5_001;
const seasonTeams = 200;
const counts = {
  players: 20_000,
  games: 30_000,
  renamed: 5_000,
  zones: 418,
  rowsOfOnePlayer: 3_000,
  deliveries: 5_000,
};

/** An organization with more than 100,000 records, arranged so that each kind of work is as long as it can be. */
export interface LargeOrganization {
  readonly organization: TestOrganization;
  /** 5,001 teams whose 10,000 games split them one by one. */
  readonly chain: string;
  /** Teams with 30,000 games that have statistics of 20,000 players. */
  readonly season: string;
  /** The opponent of 5,000 future games. */
  readonly renamed: string;
  /** The team of 418 games, one in each time zone, which end in 2199. */
  readonly zones: string;
  /** 200 players of one team, who have 1,000 rows in `game`. */
  readonly roster: readonly string[];
  readonly game: string;
  /** A player with 3,000 games. */
  readonly veteran: string;
  /** An endpoint with 5,000 failed deliveries. */
  readonly endpoint: string;
}

/**
 * Stores the records directly: over the API, they would take an hour.
 * @param beforeStoring is called after the last request to the server
 */
export async function createLargeOrganization(
  server: RunningServer,
  name: string,
  beforeStoring: () => Promise<unknown> = () => Promise.resolve(),
): Promise<LargeOrganization> {
  const organization = await createOrganization(server, name, { isSandbox: true });
  const store = new Store(await server.database(), organization.id);
  const [chain, season] = [await organization.season(), await organization.season()];
  const body = { url: 'https://erp.invalid/hooks', events: ['season.created'] };
  const endpoint = (await organization.call('post', '/webhook-endpoints').send(body).expect(201)).body as Stored;
  await beforeStoring();
  await storeChain(store, chain);
  const teams = await store.teams(seasonTeams, season);
  const [home, away, renamed, zones] = teams.map(({ _id }) => _id) as [RecordId, RecordId, RecordId, RecordId];
  const players = await store.insert('players', counts.players, (index) =>
    buildPlayerRecord(store.tenant, index < 200 ? home : (teams[index % seasonTeams]?._id ?? home), {
      name: `Player ${index % 977} ${index}`,
      createdAt: new Date(index),
    }),
  );
  const written = { statisticsWrittenAt: new Date(Date.now() - 48 * hour), statisticsRevision: 1 };
  const games = await store.insert('schedules', counts.games, (index) =>
    buildScheduleRecord(store.tenant, {
      ...{
        teamOneId: teams[index % seasonTeams]?._id ?? home,
        teamTwoId: teams[(index + 7) % seasonTeams]?._id ?? away,
        season: toRecordId(season._id),
      },
      ...{ status: 'final', teamOneScore: index % 30, teamTwoScore: index % 7, ...written },
    }),
  );
  const [game] = await store.insert('schedules', 1, () =>
    buildScheduleRecord(store.tenant, {
      ...{ teamOneId: home, teamTwoId: away, season: toRecordId(season._id), ...written },
    }),
  );
  const [veteran] = players.slice(-1);
  await store.rows(games, (index) => (index < counts.rowsOfOnePlayer ? veteran : players[index % players.length]));
  await store.rows(
    Array.from({ length: 1_000 }, () => game),
    (index) => players[Math.floor(index / 5)],
  );
  await store.insert('schedules', counts.renamed, (index) =>
    buildScheduleRecord(store.tenant, {
      ...{ teamOneId: away, teamTwoId: renamed, teamTwoName: 'Team 2' },
      ...{ startDate: new Date(Date.now() + (1 + index) * hour), endDate: new Date(Date.now() + (2 + index) * hour) },
    }),
  );
  const zoneNames = Intl.supportedValuesOf('timeZone').slice(0, counts.zones);
  await store.insert('schedules', zoneNames.length, (index) => {
    const times = { startDate: new Date(Date.now() + index * hour), endDate: new Date('2199-12-31T00:00:00.000Z') };
    return buildScheduleRecord(store.tenant, { teamOneId: zones, ...times, timeZone: zoneNames[index] ?? 'UTC' });
  });
  return {
    organization,
    chain: chain._id,
    season: season._id,
    renamed: String(renamed),
    zones: String(zones),
    roster: players.slice(0, 200).map(({ _id }) => String(_id)),
    game: String(game?._id),
    veteran: String(veteran?._id),
    endpoint: await storeDeliveries(store, endpoint),
  };
}

/** Each team ties with the first one, loses to the one before it and beats the one after it. */
async function storeChain(store: Store, season: Stored): Promise<void> {
  const teams = await store.teams(chainTeams, season);
  const idOf = (index: number) => teams[index]?._id ?? newRecordId();
  await store.insert('schedules', 2 * (chainTeams - 1) - 1, (index) => {
    const isTie = index < chainTeams - 1;
    const team = isTie ? index + 1 : index - chainTeams + 2;
    const sides = {
      teamOneId: idOf(team),
      teamTwoId: isTie ? idOf(0) : idOf(team + 1),
      season: toRecordId(season._id),
    };
    return buildScheduleRecord(store.tenant, {
      ...{ ...sides, status: 'final', teamOneScore: isTie ? 6 : 7, teamTwoScore: 6 },
    });
  });
}

async function storeDeliveries(store: Store, { _id }: Stored): Promise<string> {
  await store.insert('webhookDeliveries', counts.deliveries, (index) => ({
    ...{ _id: newRecordId(), organizationId: store.organizationId, endpointId: toRecordId(_id) },
    ...{ event: 'season.created', status: 'failed', record: `season.${_id}`, createdAt: new Date(Date.now() - index) },
    attempts: [{ at: new Date(), error: 'ECONNREFUSED', durationMs: 1 }],
  }));
  return _id;
}

class Store {
  readonly organizationId: ObjectId;
  readonly tenant;

  constructor(
    private readonly database: Db,
    id: string,
  ) {
    this.organizationId = new ObjectId(id);
    this.tenant = { organization: { id }, ...unconditional };
  }

  async insert<T extends object>(collection: string, count: number, build: (index: number) => T): Promise<T[]> {
    const records = Array.from({ length: count }, (_none, index) => build(index));
    for (let start = 0; start < count; start += batch)
      await this.database.collection(collection).insertMany(records.slice(start, start + batch), { ordered: false });
    return records;
  }

  teams(count: number, { _id }: Stored) {
    return this.insert('teams', count, (index) =>
      buildTeamRecord(this.tenant, {
        ...{ name: `Team ${index}`, season: toRecordId(_id), createdAt: new Date(index) },
        ...(count === seasonTeams && { externalId: `team-${index}` }),
      }),
    );
  }

  /** Stores a row in each of the games, in different categories. */
  rows(
    games: readonly ({ _id: RecordId } | undefined)[],
    playerOf: (index: number) => ReturnType<typeof buildPlayerRecord> | undefined,
  ) {
    const at = new Date();
    return this.insert('playerStatistics', games.length, (index) => {
      const player = playerOf(index);
      const identity = { playerId: player?._id, playerName: player?.name, teamId: player?.teamId, teamName: 'Team' };
      const ids = { _id: newRecordId(), organizationId: this.organizationId, scheduleId: games[index]?._id };
      const category = statisticsCategories[index % statisticsCategories.length];
      return { ...ids, ...identity, category, stats: {}, createdAt: at, updatedAt: at };
    });
  }
}
