import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { OpenAPIObject } from '@nestjs/swagger';
import type { ApiKeyScope } from '../../src/access/public-api.js';
import {
  aGame,
  anEndpoint,
  aNewOpponent,
  aNewPlayerName,
  aNewTeamName,
  aPlayer,
  aSeason,
  aTeam,
  bulk,
  knownExternalId,
  newExternalId,
  newKey,
  rosterRows,
  rowsOfOwnTeams,
  ofTeam,
  type SampleRequest,
  startDate,
  statistics,
  usedKey,
} from './sample-requests.js';
import type { Method } from './server.js';

export type Schema = Readonly<Record<string, unknown>>;

/** What the contract promises of an operation, independently of its decorators and the document. */
export interface OperationRow extends SampleRequest {
  /** The scope that an API key needs, or who may call an admin operation. */
  readonly access: ApiKeyScope | 'anyKey' | 'superAdmin' | 'admin' | 'anybody';
  /** Its errors in addition to those of all public operations. */
  readonly errors?: readonly number[];
  /** How many bytes its body may have, if not 102,400. */
  readonly bodyLimit?: number;
  /** Other requests in bench/budget.json, by what their names add to method and path; `''` is the sample itself. */
  readonly budget?: Readonly<Record<string, SampleRequest>>;
}

/**
 * Every operation by its ID. Method, path, parameters and success are in the published documents; a public operation
 * without another request is budgeted with its sample.
 */
export const operationTable: Readonly<Record<string, OperationRow>> = {
  listSeasons: { access: 'seasons:read' },
  createSeason: {
    access: 'seasons:write',
    errors: [40003, 40902, 40905, 42201],
    body: () => aSeason,
    budget: { '': {}, ' with idem-key': { headers: newKey } },
  },
  updateSeason: {
    access: 'seasons:write',
    errors: [40302, 40404, 40905, 41201],
    body: (_league, turn) => ({ name: `Spring ${turn}` }),
  },

  listTeams: {
    access: 'teams:read',
    budget: { '': {}, '?season=': { query: ({ season }) => ({ season }) } },
  },
  createTeam: {
    access: 'teams:write',
    errors: [40003, 40302, 40404, 40902, 40905, 42201],
    body: aTeam,
    budget: { '': {}, ' with idem-key': { headers: newKey } },
  },
  getTeam: { access: 'teams:read', errors: [40301, 40401, 41201] },
  updateTeam: { access: 'teams:write', errors: [40301, 40302, 40401, 40404, 40905, 41201], body: aNewTeamName },
  deleteTeam: {
    access: 'teams:write',
    errors: [40301, 40401, 40908, 41201],
    ids: ({ unused }, turn) => ({ teamId: unused[turn] }),
  },
  listTeamHistory: { access: 'teams:read', errors: [40301, 40401] },
  getTeamByExternalId: { access: 'teams:read', errors: [40401, 41201] },
  deleteTeamByExternalId: { access: 'teams:write', errors: [40401, 40908, 41201], ids: knownExternalId },
  upsertTeam: {
    access: 'teams:write',
    errors: [40302, 40401, 40404, 41201],
    body: aNewTeamName,
    budget: { '': {}, ', new': newExternalId },
  },
  bulkUpsertTeams: { access: 'teams:write', bodyLimit: 1_048_576, budget: bulk(aNewTeamName) },

  listAllPlayers: { access: 'players:read', errors: [40301] },
  bulkUpsertAllPlayers: {
    access: 'players:write',
    bodyLimit: 1_048_576,
    budget: rosterRows,
  },
  listPlayers: { access: 'players:read', errors: [40301, 40401] },
  createPlayer: {
    access: 'players:write',
    errors: [40003, 40301, 40401, 40902, 40905, 42201],
    body: () => aPlayer,
    budget: { ' with idem-key': { headers: newKey }, ', repeated': { headers: usedKey } },
  },
  getPlayer: { access: 'players:read', errors: [40301, 40401, 40403, 41201] },
  updatePlayer: {
    access: 'players:write',
    errors: [40301, 40401, 40403, 40905, 41201],
    body: (_league, turn) => ({ name: `Sam ${turn}` }),
  },
  deletePlayer: {
    access: 'players:write',
    errors: [40301, 40401, 40403, 41201],
    ids: ({ players }, turn) => ({ playerId: players[turn] }),
  },
  listPlayerHistory: { access: 'players:read', errors: [40301, 40401, 40403] },
  getPlayerByExternalId: { access: 'players:read', errors: [40301, 40401, 40403, 41201] },
  deletePlayerByExternalId: { access: 'players:write', errors: [40301, 40401, 40403, 41201], ids: knownExternalId },
  upsertPlayer: {
    access: 'players:write',
    errors: [40301, 40401, 40403, 41201],
    body: aNewPlayerName,
    budget: { '': {}, ', new': newExternalId },
  },
  bulkUpsertPlayers: {
    access: 'players:write',
    errors: [40301, 40401],
    bodyLimit: 1_048_576,
    budget: bulk(aNewPlayerName),
  },

  listSchedules: {
    access: 'schedules:read',
    errors: [40301],
    budget: {
      '': {},
      '?filter=upcoming': { query: () => ({ filter: 'upcoming' }) },
      '?filter=live': { query: () => ({ filter: 'live' }) },
      '?teamId=': { query: ofTeam },
    },
  },
  createSchedule: {
    access: 'schedules:write',
    errors: [40002, 40003, 40301, 40902, 40905, 42201],
    body: aGame,
    budget: {
      '': {},
      ' of two teams with idem-key': {
        headers: newKey,
        body: ({ team, opponent }) => ({ teamId: team, teamTwoId: opponent, startDate }),
      },
    },
  },
  getSchedule: {
    access: 'schedules:read',
    errors: [40302, 40402, 41201],
    budget: { '': {}, ' of nobody': { ids: ({ team }) => ({ scheduleId: team }), status: 404 } },
  },
  updateSchedule: {
    access: 'schedules:write',
    errors: [40301, 40302, 40304, 40402, 40905, 41201],
    body: ({ team }, turn) => ({ teamId: team, eventTitle: `Final ${turn}` }),
  },
  deleteSchedule: {
    access: 'schedules:write',
    errors: [40301, 40302, 40304, 40402, 41201],
    ids: ({ schedules }, turn) => ({ scheduleId: schedules[turn] }),
    query: ofTeam,
  },
  listScheduleHistory: { access: 'schedules:read', errors: [40302, 40402] },
  getScheduleByExternalId: { access: 'schedules:read', errors: [40402, 41201] },
  deleteScheduleByExternalId: { access: 'schedules:write', errors: [40402, 41201], ids: knownExternalId },
  upsertSchedule: {
    access: 'schedules:write',
    errors: [40002, 40301, 40304, 40402, 41201],
    body: aNewOpponent,
    budget: { '': {}, ', new': newExternalId },
  },
  bulkUpsertSchedules: {
    access: 'schedules:write',
    bodyLimit: 1_048_576,
    budget: {
      ...bulk(aNewOpponent),
      ', 100 new rows with external IDs of teams': rowsOfOwnTeams,
    },
  },
  getPlayerStatistics: {
    access: 'statistics:read',
    errors: [40301, 40302, 40402, 41201],
    ids: ({ game }) => ({ scheduleId: game }),
    budget: { '': {}, '?teamId=': { query: ofTeam } },
  },
  writePlayerStatistics: {
    access: 'statistics:write',
    errors: [40301, 40302, 40402, 41201],
    bodyLimit: 1_048_576,
    ids: ({ game }) => ({ scheduleId: game }),
    body: statistics,
  },

  getStandings: { access: 'schedules:read', errors: [40302, 40404, 41201] },
  getSeasonStatistics: {
    access: 'statistics:read',
    errors: [40301, 40302, 40404, 41201],
    query: () => ({ category: 'qb' }),
  },

  createCalendarLink: {
    access: 'schedules:write',
    errors: [40301, 40401, 40909],
    body: (_league, turn) => ({ description: `Parents ${turn}` }),
  },
  listCalendarLinks: { access: 'schedules:read', errors: [40301, 40401] },
  deleteCalendarLink: {
    access: 'schedules:write',
    errors: [40301, 40401, 40410],
    ids: ({ calendarLinks }, turn) => ({ linkId: calendarLinks[turn] }),
  },

  listChanges: { access: 'changes:read', errors: [41001] },

  createWebhookEndpoint: { access: 'webhooks:write', errors: [40906, 40907], body: anEndpoint },
  listWebhookEndpoints: { access: 'webhooks:read' },
  getWebhookEndpoint: { access: 'webhooks:read', errors: [40408] },
  updateWebhookEndpoint: {
    access: 'webhooks:write',
    errors: [40408, 40907],
    body: (_league, turn) => ({ description: `ERP ${turn}` }),
  },
  deleteWebhookEndpoint: {
    access: 'webhooks:write',
    errors: [40408, 40907],
    ids: ({ endpoints }, turn) => ({ id: endpoints[turn + 1] }),
  },
  rotateWebhookSecret: { access: 'webhooks:write', errors: [40408] },
  testWebhookEndpoint: { access: 'webhooks:write', errors: [40408, 40907] },
  listDeliveries: { access: 'webhooks:read', errors: [40408] },
  retryDelivery: { access: 'webhooks:write', errors: [40408, 40409, 40907] },
  recoverWebhookEndpoint: { access: 'webhooks:write', errors: [40408, 40907], body: () => ({ since: new Date() }) },

  getKey: { access: 'anyKey' },
  resetSandbox: { access: 'sandbox:write', errors: [40307], budget: { ' of another organization': { status: 403 } } },

  replacePlayerStatistics: {
    access: 'admin',
    bodyLimit: 1_048_576,
    body: statistics,
    budget: {
      ', first': { ids: ({ schedules }, turn) => ({ scheduleId: schedules[turn] }) },
      ', again': { ids: ({ game }) => ({ scheduleId: game }) },
    },
  },
  createApiKey: {
    access: 'superAdmin',
    body: ({ organization }) => ({ name: 'ERP', organizationId: organization.id }),
    budget: { '': {} },
  },
  rotateApiKey: {
    access: 'superAdmin',
    ids: ({ organization }) => ({ id: organization.key.id }),
    budget: { '': {} },
  },
  ...rowsOf(
    'superAdmin',
    `listAuditEvents updateUser createOrganization listOrganizations getOrganization updateOrganization
    listOrganizationUsers listUsers createOrganizationAdmin listUsageOutcomes createAnySeason resetSecondFactor
    erasePlayer exportPlayer eraseOrganization listFailedRequests listApiKeys getApiKey updateApiKey revokeApiKey
    endGracePeriod listAllSeasons updateAnySeason listOrganizationWebhookEndpoints listOrganizationSeasons
    getOrganizationSeason getOrganizationStandings listOrganizationSchedules searchOrganizationRecords
    countOrganizationRecords listAllWebhookEndpoints updateAnyWebhookEndpoint getOrganizationUsage listUsage
    getAnyWebhookEndpoint listAnyDeliveries testAnyWebhookEndpoint retryAnyDelivery recoverAnyWebhookEndpoint
    createPasswordReset getOrganizationPlace createSuperAdmin listOrganizationTeams listOrganizationPlayers
    getOrganizationSchedule getOrganizationScheduleByExternalId getOrganizationStatistics listOrganizationHistory`.split(
      /\s+/,
    ),
  ),
  ...rowsOf('superAdmin', ['importTeams', 'importPlayers', 'importSchedules'], { bodyLimit: 1_048_576 }),
  ...rowsOf('admin', ['logout', 'changePassword', 'getMe']),
  ...rowsOf('admin', ['createSecondFactor', 'confirmSecondFactor', 'deleteSecondFactor']),
  ...rowsOf('anybody', ['login', 'resetPassword'], { bodyLimit: 4_096 }),
  ...rowsOf('anybody', ['getCalendar', 'refresh', 'getLive', 'getReady']),
};

/** Operations of which only the ID differs. */
function rowsOf(access: OperationRow['access'], ids: readonly string[], row = {}): Record<string, OperationRow> {
  return Object.fromEntries(ids.map((id) => [id, { access, ...row }]));
}

/** A parameter of an operation. */
interface Parameter {
  readonly in: 'path' | 'query' | 'header';
  readonly name: string;
  readonly required: boolean;
  readonly schema: Schema;
}

/** One operation of the published documents with its row of the table and everything needed to send it. */
export interface Operation {
  readonly id: string;
  readonly method: Method;
  /** As in the document, `/teams/{teamId}`. */
  readonly path: string;
  readonly caller: 'apiKey' | 'adminToken' | 'anybody';
  /** The status of a successful response. */
  readonly success: number;
  /** The code of every error that the document lists. */
  readonly errors: readonly number[];
  readonly parameters: readonly Parameter[];
  readonly body: Schema | undefined;
  readonly document: OpenAPIObject;
  readonly description: string;
  /** The scope that the document states. */
  readonly scope: string | undefined;
  readonly row: OperationRow;
}

interface DescribedOperation {
  readonly operationId: string;
  readonly description?: string;
  readonly 'x-required-scope'?: string;
  readonly security: readonly Schema[];
  readonly parameters?: readonly (Omit<Parameter, 'schema'> & {
    readonly schema: Schema;
    readonly example?: unknown;
  })[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> };
  readonly responses: Schema;
}

export const publicDocument = documentIn('openapi/public.json');
const adminDocument = documentIn('openapi/admin.json');

/** Every operation of both published documents. */
export const operations: readonly Operation[] = [publicDocument, adminDocument].flatMap(operationsOf);

export const publicOperations = operations.filter(({ caller }) => caller === 'apiKey');

/** Returns the documented operation of a request, or undefined. */
export function operationAt(method: string, url: string): Operation | undefined {
  const { pathname } = new URL(url);
  return operations.find(
    (operation) =>
      operation.method === method.toLowerCase() &&
      new RegExp(`^${operation.path.replace(/\{\w+\}/g, '[^/]+')}/?$`, 'i').test(pathname),
  );
}

function documentIn(file: string): OpenAPIObject {
  return JSON.parse(readFileSync(path.resolve(__dirname, '../..', file), 'utf8')) as OpenAPIObject;
}

/** Returns the operations of a document in its order. */
export function operationsOf(document: OpenAPIObject): Operation[] {
  return Object.entries(document.paths).flatMap(([route, item]) =>
    Object.entries(item as Record<string, DescribedOperation>).map(([method, described]) => ({
      id: described.operationId,
      method: method as Method,
      path: route,
      caller: callerOf(described),
      errors: Object.values(described.responses).flatMap((response) => errorsOf(response as Schema, document)),
      success: Number(Object.keys(described.responses).find((status) => status.startsWith('2'))),
      parameters: (described.parameters ?? []).map(({ example, schema, ...rest }) => ({
        ...rest,
        schema: example === undefined ? schema : { ...schema, example },
      })),
      body: Object.values(described.requestBody?.content ?? {})[0]?.schema,
      document,
      description: described.description ?? '',
      scope: described['x-required-scope'],
      // documents.spec.ts reports an operation without a row.
      row: operationTable[described.operationId] ?? { access: 'anybody' },
    })),
  );
}

/** The errors in the examples of a response. */
function errorsOf({ $ref }: Schema, document: OpenAPIObject): number[] {
  const response = document.components?.responses?.[String($ref).split('/').at(-1) ?? ''];
  const content = response !== undefined && 'content' in response ? response.content : undefined;
  return Object.keys(content?.['application/json']?.examples ?? {}).map(Number);
}

function callerOf({ security }: DescribedOperation): Operation['caller'] {
  const scheme = Object.keys(security[0] ?? {})[0];
  return scheme === 'apiKey' || scheme === 'adminToken' ? scheme : 'anybody';
}
