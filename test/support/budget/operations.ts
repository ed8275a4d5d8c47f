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

const ofPlayers = ({ team }: BudgetLeague) => `/teams/${team}/players`;
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
  'GET /teams/{teamId}/players': get('listPlayers', ofPlayers),
  'POST /teams/{teamId}/players with idem-key': post('createPlayer', ofPlayers, () => aPlayer, idemKey),
  'POST /teams/{teamId}/players, repeated': post(
    'createPlayer',
    ofPlayers,
    () => aPlayer,
    () => idemKey(0),
  ),
  'GET /teams/{teamId}/players/{playerId}': get('getPlayer', (league) => `${ofPlayers(league)}/${league.players[0]}`),
  'PATCH /teams/{teamId}/players/{playerId}': {
    id: 'updatePlayer',
    status: 200,
    send: (league, turn) =>
      league.organization.call('patch', `${ofPlayers(league)}/${league.players[0]}`).send({ name: `Sam ${turn}` }),
  },
  'DELETE /teams/{teamId}/players/{playerId}': {
    id: 'deletePlayer',
    status: 200,
    send: (league, turn) => league.organization.call('delete', `${ofPlayers(league)}/${league.players[turn]}`),
  },
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
  'PATCH /schedules/{scheduleId}': {
    id: 'updateSchedule',
    status: 200,
    send: ({ organization, schedules, team }, turn) =>
      organization.call('patch', `/schedules/${schedules[0]}`).send({ teamId: team, eventTitle: `Final ${turn}` }),
  },
  'DELETE /schedules/{scheduleId}': {
    id: 'deleteSchedule',
    status: 200,
    send: ({ organization, schedules, team }, turn) =>
      organization.call('delete', `/schedules/${schedules[turn]}?teamId=${team}`),
  },
  'GET /schedules/{scheduleId}/player-statistics': get(
    'getPlayerStatistics',
    ({ game }) => `/schedules/${game}/player-statistics`,
  ),
  'GET /schedules/{scheduleId}/player-statistics?teamId=': get(
    'getPlayerStatistics',
    ({ game, team }) => `/schedules/${game}/player-statistics?teamId=${team}`,
  ),
  'GET /changes': get('listChanges', () => '/changes'),
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
