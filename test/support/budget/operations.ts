import type request from 'supertest';
import type { BudgetLeague } from './league.js';

/** An operation to measure. */
export interface BudgetedOperation {
  /** Its operation ID. */
  readonly id: string;
  readonly status: number;
  /** The request; `turn` counts its repetitions, for operations that succeed only once. */
  readonly send: (league: BudgetLeague, turn: number) => request.Test;
}

const startDate = '2027-05-01T10:00:00Z';
const idemKey = (turn: number) => ({ 'idem-key': `key-${turn}` });

function get(id: string, pathOf: (league: BudgetLeague) => string): BudgetedOperation {
  return { id, status: 200, send: (league) => league.organization.call('get', pathOf(league)) };
}

function post(
  id: string,
  path: (league: BudgetLeague) => string,
  body: (league: BudgetLeague) => object,
  headers: (turn: number) => Record<string, string> = () => ({}),
): BudgetedOperation {
  return {
    id,
    status: 201,
    send: (league, turn) => league.organization.call('post', path(league)).set(headers(turn)).send(body(league)),
  };
}

function patch(
  id: string,
  path: (league: BudgetLeague, turn: number) => string,
  body: (league: BudgetLeague, turn: number) => object,
  status = 200,
): BudgetedOperation {
  const send: BudgetedOperation['send'] = (league, turn) =>
    league.organization.call('patch', path(league, turn)).send(body(league, turn));
  return { id, status, send };
}

/** A bulk upsert of rows with the external IDs `<prefix>0`, `<prefix>1`, and so on. */
function bulk(
  id: string,
  path: (league: BudgetLeague) => string,
  rowOf: (league: BudgetLeague, turn: number) => object,
  { count, prefixOf }: { count: number; prefixOf: (turn: number) => string },
): BudgetedOperation {
  const send: BudgetedOperation['send'] = (league, turn) => {
    const row = rowOf(league, turn);
    const rows = Array.from({ length: count }, (_, index) => ({ ...row, externalId: `${prefixOf(turn)}${index}` }));
    return league.organization.call('post', path(league)).send({ rows });
  };
  return { id, status: 200, send };
}

/** The operations by external ID, on stored records and on new ones. */
function upserts(
  path: string,
  id: string,
  pathOf: (league: BudgetLeague) => string,
  row: (league: BudgetLeague, turn: number) => object,
): Readonly<Record<string, BudgetedOperation>> {
  const toBulk = (league: BudgetLeague) => `${pathOf(league)}/bulk`;
  const at = (externalId: string) => (league: BudgetLeague) => `${pathOf(league)}/by-external-id/${externalId}`;
  return {
    [`GET ${path}/by-external-id/{externalId}`]: get(`get${id}ByExternalId`, at('known-0')),
    [`PATCH ${path}/by-external-id/{externalId}`]: patch(`upsert${id}`, at('known-0'), row),
    [`PATCH ${path}/by-external-id/{externalId}, new`]: patch(
      `upsert${id}`,
      (league, turn) => at(`new-${turn}`)(league),
      row,
      201,
    ),
    [`POST ${path}/bulk, 100 new rows`]: bulk(`bulkUpsert${id}s`, toBulk, row, {
      count: 100,
      prefixOf: (turn) => `new-${turn}-`,
    }),
    [`POST ${path}/bulk, 12 changed rows`]: bulk(`bulkUpsert${id}s`, toBulk, row, {
      count: 12,
      prefixOf: () => 'known-',
    }),
  };
}

const ofPlayers = ({ team }: BudgetLeague) => `/teams/${team}/players`;
const ofEndpoint = ({ endpoints }: BudgetLeague) => `/webhook-endpoints/${endpoints[0]}`;
const aPlayer = { name: 'Jordan Lee', position: ['QB'], jerseyNumber: '7' };

/**
 * Every public operation, some in several variants, and the most frequent admin operations, by their name in the
 * budget.
 */
export const budgetedOperations: Readonly<Record<string, BudgetedOperation>> = {
  'GET /seasons': get('listSeasons', () => '/seasons'),
  'GET /teams': get('listTeams', () => '/teams'),
  'POST /teams': post(
    'createTeam',
    () => '/teams',
    ({ season }) => ({ name: 'Hawks', season }),
  ),
  'POST /teams with idem-key': post(
    'createTeam',
    () => '/teams',
    ({ season }) => ({ name: 'Hawks', season }),
    idemKey,
  ),
  'GET /teams?season=': get('listTeams', ({ season }) => `/teams?season=${season}`),
  'GET /teams/{teamId}': get('getTeam', ({ team }) => `/teams/${team}`),
  'PATCH /teams/{teamId}': patch(
    'updateTeam',
    ({ team }) => `/teams/${team}`,
    ({ season }, turn) => ({ name: `Hawks ${turn}`, season }),
  ),
  ...upserts(
    '/teams',
    'Team',
    () => '/teams',
    ({ season }, turn) => ({ name: `Hawks ${turn}`, season }),
  ),
  'GET /teams/{teamId}/players': get('listPlayers', ofPlayers),
  'POST /teams/{teamId}/players with idem-key': post('createPlayer', ofPlayers, () => aPlayer, idemKey),
  'POST /teams/{teamId}/players, repeated': post(
    'createPlayer',
    ofPlayers,
    () => aPlayer,
    () => idemKey(0),
  ),
  'GET /teams/{teamId}/players/{playerId}': get('getPlayer', (league) => `${ofPlayers(league)}/${league.players[0]}`),
  'PATCH /teams/{teamId}/players/{playerId}': patch(
    'updatePlayer',
    (league) => `${ofPlayers(league)}/${league.players[0]}`,
    (_league, turn) => ({ name: `Sam ${turn}` }),
  ),
  'DELETE /teams/{teamId}/players/{playerId}': {
    id: 'deletePlayer',
    status: 200,
    send: (league, turn) => league.organization.call('delete', `${ofPlayers(league)}/${league.players[turn]}`),
  },
  ...upserts('/teams/{teamId}/players', 'Player', ofPlayers, (_league, turn) => ({ ...aPlayer, name: `Sam ${turn}` })),
  'GET /schedules': get('listSchedules', () => '/schedules'),
  'GET /schedules?filter=upcoming': get('listSchedules', () => '/schedules?filter=upcoming'),
  'GET /schedules?filter=live': get('listSchedules', () => '/schedules?filter=live'),
  'GET /schedules?teamId=': get('listSchedules', ({ team }) => `/schedules?teamId=${team}`),
  'POST /schedules': post(
    'createSchedule',
    () => '/schedules',
    ({ team }) => ({ teamId: team, teamTwoName: 'Foxes', startDate }),
  ),
  'POST /schedules of two teams with idem-key': post(
    'createSchedule',
    () => '/schedules',
    ({ team, opponent }) => ({ teamId: team, teamTwoId: opponent, startDate }),
    idemKey,
  ),
  'GET /schedules/{scheduleId}': get('getSchedule', ({ schedules }) => `/schedules/${schedules[0]}`),
  'GET /schedules/{scheduleId} of nobody': {
    ...get('getSchedule', ({ team }) => `/schedules/${team}`),
    status: 404,
  },
  'PATCH /schedules/{scheduleId}': patch(
    'updateSchedule',
    ({ schedules }) => `/schedules/${schedules[0]}`,
    ({ team }, turn) => ({ teamId: team, eventTitle: `Final ${turn}` }),
  ),
  'DELETE /schedules/{scheduleId}': {
    id: 'deleteSchedule',
    status: 200,
    send: ({ organization, schedules, team }, turn) =>
      organization.call('delete', `/schedules/${schedules[turn]}?teamId=${team}`),
  },
  ...upserts(
    '/schedules',
    'Schedule',
    () => '/schedules',
    ({ team }, turn) => ({ teamId: team, teamTwoName: `Foxes ${turn}`, startDate }),
  ),
  'GET /schedules/{scheduleId}/player-statistics': get(
    'getPlayerStatistics',
    ({ game }) => `/schedules/${game}/player-statistics`,
  ),
  'GET /schedules/{scheduleId}/player-statistics?teamId=': get(
    'getPlayerStatistics',
    ({ game, team }) => `/schedules/${game}/player-statistics?teamId=${team}`,
  ),
  'GET /changes': get('listChanges', () => '/changes'),
  'POST /webhook-endpoints': post(
    'createWebhookEndpoint',
    () => '/webhook-endpoints',
    () => ({ url: 'https://erp.invalid/' }),
  ),
  'GET /webhook-endpoints': get('listWebhookEndpoints', () => '/webhook-endpoints'),
  'GET /webhook-endpoints/{id}': get('getWebhookEndpoint', ofEndpoint),
  'PATCH /webhook-endpoints/{id}': patch('updateWebhookEndpoint', ofEndpoint, (_league, turn) => ({
    description: `ERP ${turn}`,
  })),
  'DELETE /webhook-endpoints/{id}': {
    id: 'deleteWebhookEndpoint',
    status: 200,
    send: ({ organization, endpoints }, turn) =>
      organization.call('delete', `/webhook-endpoints/${endpoints[turn + 1]}`),
  },
  'POST /webhook-endpoints/{id}/rotate-secret': {
    ...post(
      'rotateWebhookSecret',
      (league) => `${ofEndpoint(league)}/rotate-secret`,
      () => ({}),
    ),
    status: 200,
  },
  'POST /webhook-endpoints/{id}/test': {
    ...post(
      'testWebhookEndpoint',
      (league) => `${ofEndpoint(league)}/test`,
      () => ({}),
    ),
    status: 202,
  },
  'GET /webhook-endpoints/{id}/deliveries': get('listDeliveries', (league) => `${ofEndpoint(league)}/deliveries`),
  'POST /webhook-endpoints/{id}/deliveries/{deliveryId}/retry': {
    ...post(
      'retryDelivery',
      (league) => `${ofEndpoint(league)}/deliveries/${league.delivery}/retry`,
      () => ({}),
    ),
    status: 202,
  },
  'PUT /schedules/{scheduleId}/player-statistics, first': {
    id: 'replacePlayerStatistics',
    status: 200,
    send: (league, turn) => put(league, league.schedules[turn]),
  },
  'PUT /schedules/{scheduleId}/player-statistics, again': {
    id: 'replacePlayerStatistics',
    status: 200,
    send: (league) => put(league, league.game),
  },
  'POST /api-keys': {
    id: 'createApiKey',
    status: 201,
    send: ({ organization }) =>
      organization.server.asSuperAdmin('post', '/api-keys').send({ name: 'ERP', organizationId: organization.id }),
  },
  'POST /api-keys/{id}/rotate': {
    id: 'rotateApiKey',
    status: 200,
    send: ({ organization }) => organization.server.asSuperAdmin('post', `/api-keys/${organization.key.id}/rotate`),
  },
};

function put({ organization, players }: BudgetLeague, schedule = ''): request.Test {
  const rows = players.slice(0, 6).map((playerId) => ({ playerId, category: 'qb', stats: { completions: 1 } }));
  return organization.server.asSuperAdmin('put', `/schedules/${schedule}/player-statistics`).send({ rows });
}
