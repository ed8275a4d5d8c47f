import { readFileSync } from 'node:fs';
import path from 'node:path';
import { ModulesContainer } from '@nestjs/core';
import { ObjectId } from 'mongodb';
import { unconditional } from '../../../src/access/request-context.js';
import { OrganizationRepository } from '../../../src/database/organization.repository.js';
import { newRecordId } from '../../../src/database/record.js';
import { Transactions } from '../../../src/database/transaction.js';
import { PlayersRepository } from '../../../src/modules/players/players.repository.js';
import { SchedulesRepository } from '../../../src/modules/schedules/schedules.repository.js';
import { PlayerStatisticsRepository } from '../../../src/modules/statistics/player-statistics.repository.js';
import type { PlayerStatisticsRecord } from '../../../src/modules/statistics/player-statistics.schema.js';
import { TeamsRepository } from '../../../src/modules/teams/teams.repository.js';
import { SeasonsRepository } from '../../../src/modules/seasons/seasons.repository.js';
import { WebhookEndpointsRepository } from '../../../src/modules/webhooks/webhook-endpoints.repository.js';
import { newTenant, FixedClock, TestApplication } from '../../support/application.js';
import { type Command, captureCommands } from '../../support/explained.js';
import { allQueryCases, repositories } from '../../support/query-cases.js';
import { manyRecords } from '../../support/many-records.js';
import { queryMethods, RecordedCalls } from '../../support/recorded-calls.js';
import { buildPlayerRecord, buildScheduleRecord, buildTeamRecord } from '../../support/records.js';

/**
 * They have an organization, too, but keys are read before it is known, the worker searches all endpoints, and the usage of
 * all organizations is listed.
 */
const ofServers = ['apiKeys', 'auditEvents', 'failedRequests', 'webhookEndpoints', 'requestCounts'];
/** The filters of `ownerOf`, which runs only after a query with a tenant found nothing, or for an admin or operator, who has none. */
const exceptions: Record<string, object> = { schedules: { deletedAt: null }, players: {} };

/** Collections that also have records of no organization, or that servers search for the work of all. */
const shared = ['changes', 'seasons', 'webhookEndpoints'];
/** The methods that may search them without an organization: of admins, of the servers' own work, or with an owner to compare. */
const ofAll = [
  ...['findEnd', 'findLatest', 'findState', 'readCausally', 'saveDispatched'].map(
    (name) => `ChangesRepository.${name}`,
  ),
  ...['findAny', 'findAnyById', 'findOwners', 'updateAnyById'].map((name) => `SeasonsRepository.${name}`),
  ...['claim', 'countDisabled', 'findEndpoints', 'findLeased', 'findLongestWait', 'release'].map(
    (name) => `WebhookQueueRepository.${name}`,
  ),
];
interface Sent {
  readonly during: string;
  /** The methods of repositories that were called meanwhile. */
  readonly methods: readonly string[];
  readonly command: Command;
}

const [reads, writes] = [
  ['find', 'aggregate', 'findAndModify', 'update', 'delete'],
  ['insert', 'findAndModify', 'update', 'delete'],
];

const clock = new FixedClock();
const application = TestApplication.forTests(clock);

/** The commands of a request must name its organization, so that they cannot reach records of others. */
describe('organization data', () => {
  const owned: string[] = [];
  /** All commands, and those on the collections of organizations. */
  const all: Sent[] = [];
  const sent: Sent[] = [];
  const calls = new RecordedCalls();

  beforeAll(async () => {
    const { connection } = application;
    for (const { schema, collection } of Object.values(connection.models)) {
      const owner = schema.path('organizationId') as { options: { immutable?: boolean } } | undefined;
      const carries = owner?.options.immutable === true;
      if (carries && !ofServers.includes(collection.name)) owned.push(collection.name);
    }
    const note = async (during: string, work: () => Promise<unknown>) => {
      const start = calls.made.length;
      const commands = await captureCommands(connection, work, [...reads, ...writes]);
      const methods = calls.made.slice(start);
      all.push(...commands.map((command) => ({ during, methods, command })));
    };
    for (const queryCase of allQueryCases(application, await manyRecords(connection)))
      await note(queryCase.name, queryCase.call);
    for (const [during, work] of creations()) await note(during, work);
    sent.push(...all.filter(({ command }) => owned.includes(collectionOf(command))));
    calls.stop();
  }, 120_000);

  /** Every way in which records of organizations are created. */
  function creations(): [string, () => Promise<unknown>][] {
    const tenant = newTenant();
    const [teams, players, schedules] = [
      application.get(TeamsRepository),
      application.get(PlayersRepository),
      application.get(SchedulesRepository),
    ];
    const key = { route: 'POST /x', keyHash: 'a key', fingerprint: 'f' };
    const create = {
      team: () => teams.insertIdempotent(tenant, buildTeamRecord(tenant), key, {}),
      player: () => players.insertIdempotent(tenant, buildPlayerRecord(tenant, newRecordId()), key, {}),
      schedule: () => schedules.insertIdempotent(tenant, buildScheduleRecord(tenant), key, {}),
    };
    const all = Object.entries(create);
    const aDayLater = () => {
      clock.advance(25 * 60 * 60_000);
      return Promise.resolve();
    };
    const replace = () =>
      application.get(Transactions).run(unconditional, (session) => {
        const row = newStatisticsRecord(tenant.organization.id);
        const records = application.get(PlayerStatisticsRepository);
        return records.replaceBySchedule(tenant, String(row.scheduleId), undefined, [row], session);
      });
    return [
      ...all.map(([what, create]): [string, () => Promise<unknown>] => [`a ${what} is created`, create]),
      ...all.map(([what, create]): [string, () => Promise<unknown>] => [
        `a ${what} is created again`,
        () => create().catch(() => undefined),
      ]),
      ['a day passes', aDayLater],
      ...all.map(([what, create]): [string, () => Promise<unknown>] => [
        `a ${what} is created with an outdated key`,
        create,
      ]),
      ['statistics are written', replace],
    ];
  }

  const ofKind = (...names: string[]) => sent.filter(({ command }) => names.includes(nameOf(command)));

  it('is only in collections whose repositories have query cases', () => {
    expect(owned.sort()).toEqual([
      ...['calendarLinks', 'playerStatistics', 'players', 'schedules', 'teams', 'webhookDeliveries'],
    ]);
    const scoped = repositories.filter(
      (repository) =>
        repository.prototype instanceof OrganizationRepository && repository !== WebhookEndpointsRepository,
    );
    // Shared seasons have no organization.
    expect(scoped).toHaveLength(owned.length + [SeasonsRepository].length);
    for (const collection of owned) {
      const names = sent
        .filter(({ command }) => collectionOf(command) === collection)
        .map(({ command }) => nameOf(command));
      expect(names).toEqual(expect.arrayContaining(['find', 'insert']));
      expect(names.some((name) => ['findAndModify', 'update', 'delete'].includes(name))).toBe(true);
    }
  });

  it('is queried, updated and deleted by its organization, except in `ownerOf` and background work', () => {
    const scanning = ofKind(...reads).filter(
      ({ command }) => !filtersOf(command).every((filter) => namesOneOrganization(filter)),
    );
    // Runs in the background, on a small index, and returns only organizations.
    const [ofRenames, ...more] = scanning.filter(({ during }) => during.includes('.findRenaming('));
    expect(more).toEqual([]);
    const isRenamed = { organizationId: { $exists: true }, 'formerNames.at': { $exists: true } };
    expect(ofRenames?.command['pipeline']).toEqual([{ $match: isRenamed }, { $group: { _id: '$organizationId' } }]);
    const allTenants = scanning.filter((each) => each !== ofRenames);
    expect(allTenants.map(({ command }) => collectionOf(command)).sort()).toEqual(Object.keys(exceptions).sort());
    for (const { during, command } of allTenants) {
      expect([nameOf(command), during]).toEqual(['find', expect.stringContaining('.ownerOf(')]);
      const filter = exceptions[collectionOf(command)];
      expect(command['filter']).toEqual({ _id: expect.any(ObjectId) as unknown, ...filter });
      expect(command['projection']).toEqual({ organizationId: 1 });
    }
  });

  it('has its organization from the first write on, and keeps it', () => {
    const documents = ofKind('insert').flatMap(({ command }) => command['documents'] as Command[]);
    expect(documents.length).toBeGreaterThanOrEqual(7);
    expect(documents.filter((document) => !namesOneOrganization(document))).toEqual([]);
    for (const { command } of ofKind('findAndModify', 'update')) {
      for (const value of organizationsSetBy(updatesOf(command))) {
        expect(String(value)).toBe(String(filtersOf(command)[0]?.['organizationId']));
      }
    }
  });

  it('is never joined to anything', () => {
    const joined = all.flatMap(({ command }) => joinedBy(command));
    // Of keys.
    expect(joined).toContain('organizations');
    expect(joined.filter((collection) => [...owned, ...shared].includes(collection))).toEqual([]);
  });

  it('has a query case for every repository and method', () => {
    const registered = [...application.get(ModulesContainer).values()]
      .flatMap((module) => [...module.providers.values()])
      .map(({ metatype }) => metatype?.name ?? '')
      .filter((name) => name.endsWith('Repository'));
    expect(repositories.map(({ name }) => name).sort()).toEqual([...new Set(registered)].sort());
    expect(queryMethods().filter((method) => !calls.made.includes(method))).toEqual([]);
  });

  it('is queried by its organization, or as shared, in collections of both, except by the named methods', () => {
    const allTenants = all.filter(({ command }) => {
      const isQuery = reads.includes(nameOf(command)) && shared.includes(collectionOf(command));
      return isQuery && !filtersOf(command).every((filter) => namesOneOrganization(filter, [null]));
    });
    expect([...new Set(allTenants.flatMap(({ methods }) => methods))].sort()).toEqual(ofAll);
  });

  it('has the organization first in each index except TTL indexes', () => {
    for (const { schema, collection } of Object.values(application.connection.models)) {
      if (!owned.includes(collection.name)) continue;
      // A TTL index has one field.
      const queried = schema.indexes().filter(([, options]) => options.expireAfterSeconds === undefined);
      const firsts = queried.map(([fields]) => Object.keys(fields)[0]);
      expect(firsts).toEqual(firsts.map(() => 'organizationId'));
    }
  });
});

describe('contributing/data-model.md', () => {
  const models = () => Object.values(application.connection.models);
  const page = readFileSync(path.resolve(__dirname, '../../../contributing/data-model.md'), 'utf8');
  const [, collections = '', indexes = ''] = page.split(/^## /m);
  const codeIn = (text: string) => [...text.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code);

  it('has every collection, with its owner, deletion and revision', () => {
    const rows = [...collections.matchAll(/^\| `.*$/gm)].map(([row]) => {
      const [collection = '', owner = '', deletion, revision] = row.split(' | ').map((cell) => cell.trim());
      return [codeIn(collection)[0], owner.startsWith('organization'), deletion === 'yes', revision === 'counter'];
    });
    const has = (name: string) => (path: { path: (field: string) => unknown }) => path.path(name) !== undefined;
    const stored = models().map(({ schema, collection }) => [
      collection.name,
      ...['organizationId', 'deletedAt', 'revision'].map((field) => has(field)(schema)),
    ]);
    expect(rows.sort()).toEqual(stored.sort());
  });

  it('has every index of each collection', () => {
    const listed = new Map(
      [...indexes.matchAll(/^- \*\*(.*?):\*\* (.*)$/gm)].map(([, name = '', text = '']) => [name, text]),
    );
    const common = codeIn(listed.get('of synchronized records') ?? '').filter((name) => name.startsWith('one_'));
    for (const { schema, collection } of models()) {
      const text = listed.get(`\`${collection.name}\``) ?? '';
      const named = [...(text.startsWith('of synchronized records') ? common : []), ...codeIn(text)];
      const stored = schema.indexes().map(([, { name }]) => name);
      expect([collection.name, ...named.filter((name) => name.includes('_')).sort()]).toEqual([
        collection.name,
        ...stored.sort(),
      ]);
    }
  });
});

function newStatisticsRecord(organizationId: string): PlayerStatisticsRecord {
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

/** The filters of a command. */
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

/** The values that an update sets for the organization. */
function organizationsSetBy(updates: readonly Command[]): unknown[] {
  return updates
    .flatMap((update) => Object.values(update))
    .filter((fields): fields is Command => typeof fields === 'object' && fields !== null && 'organizationId' in fields)
    .map(({ organizationId }) => organizationId);
}

/**
 * Returns whether a filter has an equality at the top level, or `$in` with one value.
 * @param others further values that are allowed
 */
function namesOneOrganization(filter: Command, others: readonly unknown[] = []): boolean {
  const { organizationId } = filter as { organizationId?: ObjectId | { $in?: unknown[] } };
  if (organizationId instanceof ObjectId) return true;
  const owners = organizationId?.$in?.filter((owner) => !others.includes(owner)) ?? [];
  return owners.length === 1 && owners[0] instanceof ObjectId;
}

/** The other collections that an aggregation reads, at any depth. */
function joinedBy({ pipeline = [] }: Command): string[] {
  const named = JSON.stringify(pipeline).matchAll(/"(?:from|coll|\$unionWith)":"(\w+)"/g);
  return [...named].map(([, collection = '']) => collection);
}
