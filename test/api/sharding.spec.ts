import { ObjectId } from 'mongodb';
import { unconditional } from '../../src/common/context/request-context.js';
import { OrganizationRepository } from '../../src/database/organization.repository.js';
import { newRecordId } from '../../src/database/record.js';
import { Transactions } from '../../src/database/transaction.js';
import { PlayersRepository } from '../../src/modules/players/players.repository.js';
import { SchedulesRepository } from '../../src/modules/schedules/schedules.repository.js';
import { PlayerStatisticsRepository } from '../../src/modules/statistics/player-statistics.repository.js';
import type { PlayerStatisticsRecord } from '../../src/modules/statistics/player-statistics.schema.js';
import { TeamsRepository } from '../../src/modules/teams/teams.repository.js';
import { newScope, FixedClock, TestApplication } from '../support/application.js';
import { type Command, captureCommands } from '../support/explained.js';
import { allQueryCases, repositories } from '../support/query-cases.js';
import { manyRecords } from '../support/many-records.js';
import { buildPlayerRecord, buildScheduleRecord, buildTeamRecord } from '../support/records.js';

/** Keys carry their organization, too, but are read before anybody knows which it is. */
const notSharded = ['apiKeys'];
/** Asked only after a scoped query found nothing, or for an admin, who has no scope. */
const onlyException = 'the owner of a schedule is looked up';
/** Asked once when a server starts, of all organizations. */
const atTheStart = 'schedules of an earlier version are looked for';

interface Sent {
  readonly during: string;
  readonly command: Command;
}

const [reads, writes] = [
  ['find', 'aggregate', 'findAndModify', 'update', 'delete'],
  ['insert', 'findAndModify', 'update', 'delete'],
];

/**
 * What a cluster that is sharded by organizationId needs of us: that a request's commands reach the one shard that has its
 * organization.
 */
describe('organization data', () => {
  let application: TestApplication;
  let clock: FixedClock;
  const sharded: string[] = [];
  const sent: Sent[] = [];

  beforeAll(async () => {
    clock = new FixedClock();
    application = await TestApplication.start(clock);
    const { connection } = application;
    for (const { schema, collection } of Object.values(connection.models)) {
      const carries = (schema.path('organizationId') as { isRequired?: boolean } | undefined)?.isRequired === true;
      if (carries && !notSharded.includes(collection.name)) sharded.push(collection.name);
    }
    const note = async (during: string, work: () => Promise<unknown>) => {
      const commands = await captureCommands(connection, work, [...reads, ...writes]);
      sent.push(
        ...commands
          .filter((command) => sharded.includes(collectionOf(command)))
          .map((command) => ({ during, command })),
      );
    };
    for (const look of allQueryCases(application, await manyRecords(connection))) await note(look.name, look.call);
    for (const [during, work] of creations()) await note(during, work);
  }, 60_000);

  afterAll(() => application.stop());

  /** Every way in which records of organizations come to be. */
  function creations(): [string, () => Promise<unknown>][] {
    const scope = newScope();
    const [teams, players, schedules] = [
      application.get(TeamsRepository),
      application.get(PlayersRepository),
      application.get(SchedulesRepository),
    ];
    const key = { scope: 'POST /x', keyHash: 'a key', fingerprint: 'f' };
    const create = {
      team: () => teams.insertIdempotent(scope, buildTeamRecord(scope), key, {}),
      player: () => players.insertIdempotent(scope, buildPlayerRecord(scope, newRecordId()), key, {}),
      schedule: () => schedules.insertIdempotent(scope, buildScheduleRecord(scope), key, {}),
    };
    const all = Object.entries(create);
    const aDayLater = () => {
      clock.advance(25 * 60 * 60_000);
      return Promise.resolve();
    };
    const replace = () =>
      application.get(Transactions).run(unconditional, (session) => {
        const row = aStatisticsRecord(scope.organization.id);
        const records = application.get(PlayerStatisticsRepository);
        return records.replaceBySchedule(scope, String(row.scheduleId), [row], session);
      });
    return [
      ...all.map(([what, make]): [string, () => Promise<unknown>] => [`a ${what} is created`, make]),
      ...all.map(([what, make]): [string, () => Promise<unknown>] => [
        `a ${what} is created again`,
        () => make().catch(() => undefined),
      ]),
      ['a day passes', aDayLater],
      ...all.map(([what, make]): [string, () => Promise<unknown>] => [
        `a ${what} is created with an outdated key`,
        make,
      ]),
      ['statistics are written', replace],
    ];
  }

  const ofKind = (...names: string[]) => sent.filter(({ command }) => names.includes(nameOf(command)));

  it('is all in collections that this test follows, by every repository of theirs', () => {
    expect(sharded.sort()).toEqual(['playerStatistics', 'players', 'schedules', 'teams']);
    const scoped = repositories.filter(({ prototype }) => prototype instanceof OrganizationRepository);
    expect(scoped).toHaveLength(sharded.length);
    for (const collection of sharded) {
      const names = sent
        .filter(({ command }) => collectionOf(command) === collection)
        .map(({ command }) => nameOf(command));
      expect(names).toEqual(expect.arrayContaining(['find', 'insert']));
      expect(names.some((name) => ['findAndModify', 'update', 'delete'].includes(name))).toBe(true);
    }
  });

  it('is looked for, changed and deleted by its organization, but for the one question whose a record is', () => {
    const everywhere = ofKind(...reads)
      .filter(({ during }) => during !== atTheStart)
      .filter(({ command }) => !filtersOf(command).every(namesOneOrganization));
    expect([...new Set(everywhere.map(({ during }) => during))]).toEqual([onlyException]);
    for (const { command } of everywhere) {
      expect(nameOf(command)).toBe('find');
      expect(command['filter']).toEqual({ _id: expect.any(ObjectId) as unknown, deletedAt: null });
      expect(command['projection']).toEqual({ organizationId: 1 });
    }
  });

  it('carries its organization from its first write on, and never moves to another one', () => {
    const documents = ofKind('insert').flatMap(({ command }) => command['documents'] as Command[]);
    expect(documents.length).toBeGreaterThanOrEqual(7);
    expect(documents.filter((document) => !namesOneOrganization(document))).toEqual([]);
    for (const { command } of ofKind('findAndModify', 'update')) {
      for (const value of organizationsSetBy(updatesOf(command))) {
        expect(String(value)).toBe(String(filtersOf(command)[0]?.['organizationId']));
      }
    }
  });

  it('is joined with nothing, so that no shard asks another one', () => {
    const joining = ofKind('aggregate').filter(({ command }) =>
      /\$lookup|\$unionWith|\$graphLookup/.test(JSON.stringify(command)),
    );
    expect(joining).toEqual([]);
  });

  it('has the organization first in each of its indexes, as a unique index of a sharded collection must', () => {
    for (const { schema, collection } of Object.values(application.connection.models)) {
      if (!sharded.includes(collection.name)) continue;
      const firsts = schema.indexes().map(([fields]) => Object.keys(fields)[0]);
      expect(firsts).toEqual(firsts.map(() => 'organizationId'));
      // What the key of the shards needs: an index that begins with it and holds every document.
      const whole = schema.indexes().filter(([, options]) => options.partialFilterExpression === undefined);
      expect(whole.length).toBeGreaterThan(0);
    }
  });
});

function aStatisticsRecord(organizationId: string): PlayerStatisticsRecord {
  const now = new Date('2027-05-01T12:00:00.000Z');
  return {
    _id: newRecordId(),
    organizationId: new ObjectId(organizationId),
    scheduleId: newRecordId(),
    category: 'qb',
    teamId: newRecordId(),
    teamName: 'Hawks',
    playerId: newRecordId(),
    playerName: 'Jordan Lee',
    stats: { passAttempts: 3 },
    createdAt: now,
    updatedAt: now,
  };
}

function nameOf(command: Command): string {
  return Object.keys(command)[0] ?? '';
}

function collectionOf(command: Command): string {
  return String(Object.values(command)[0]);
}

/** By which a command chooses its documents. */
function filtersOf(command: Command): Command[] {
  switch (nameOf(command)) {
    case 'find':
      return [command['filter'] as Command];
    case 'aggregate':
      return [(command['pipeline'] as { $match?: Command }[])[0]?.$match ?? {}];
    case 'findAndModify':
      return [command['query'] as Command];
    case 'update':
      return (command['updates'] as { q: Command }[]).map(({ q }) => q);
    default:
      return (command['deletes'] as { q: Command }[]).map(({ q }) => q);
  }
}

function updatesOf(command: Command): Command[] {
  const updates =
    nameOf(command) === 'update' ? (command['updates'] as { u: unknown }[]).map(({ u }) => u) : [command['update']];
  return updates.flat() as Command[];
}

/** What an update, or the stages of one, make of the organization. */
function organizationsSetBy(updates: readonly Command[]): unknown[] {
  return updates
    .flatMap((update) => Object.values(update))
    .filter((fields): fields is Command => typeof fields === 'object' && fields !== null && 'organizationId' in fields)
    .map(({ organizationId }) => organizationId);
}

/** An equality, at the top: nothing else tells a router the one shard. */
function namesOneOrganization(filter: Command): boolean {
  return filter['organizationId'] instanceof ObjectId;
}
