import { parseKey } from './contenders.js';
import {
  get,
  hour,
  newParsePlayer,
  newParseSchedule,
  newPlayer,
  newSchedule,
  parseDate,
  post,
  prefix,
  put,
  search,
} from './requests.js';

/** Moves every schedule back and forth, so that each write changes the indexes. */
const moves = ({ changed }, toRequest) =>
  [2, 0].flatMap((hours) =>
    changed.map(({ id, teamId, startDate }) => {
      const start = startDate.getTime() + hours * hour;
      return toRequest(id, teamId, new Date(start), new Date(start + hour));
    }),
  );

/**
 * The measured operations, with the requests of the contract and of Parse. `writes` names the collections
 * that grow.
 */
export const operations = {
  teams: {
    label: 'GET /teams',
    contract: () => [get(`${prefix}/teams`)],
    parse: ({ organizationId }) => [get(search('Team', { organizationId, deletedAt: null }, 'createdAt,objectId'))],
  },
  upcoming: {
    label: 'GET /schedules?filter=upcoming',
    contract: () => [get(`${prefix}/schedules?filter=upcoming`)],
    parse: ({ organizationId, now }) => [
      get(
        search(
          'Schedule',
          { organizationId, deletedAt: null, status: 'scheduled', startDate: { $gt: parseDate(now) } },
          'startDate,objectId',
        ),
      ),
    ],
  },
  live: {
    label: 'GET /schedules?filter=live',
    contract: () => [get(`${prefix}/schedules?filter=live`)],
    parse: ({ organizationId, now }) => {
      const live = { status: 'scheduled', startDate: { $lte: parseDate(now) }, endDate: { $gt: parseDate(now) } };
      return [get(search('Schedule', { organizationId, deletedAt: null, ...live }, 'startDate,objectId'))];
    },
  },
  schedule: {
    label: 'GET /schedules/{id}',
    contract: ({ read }) => read.map((id) => get(`${prefix}/schedules/${id}`)),
    parse: ({ read }) => read.map((id) => get(`/parse/classes/Schedule/${id}`)),
  },
  statistics: {
    label: 'GET …/player-statistics',
    contract: ({ played }) => [get(`${prefix}/schedules/${played}/player-statistics`)],
    parse: ({ organizationId, played }) => {
      const order = 'teamName,category,playerName,playerId';
      return [get(search('PlayerStatistic', { organizationId, scheduleId: played }, order, { limit: '1000' }))];
    },
  },
  createSchedule: {
    label: 'POST /schedules',
    writes: { contract: ['schedules'], parse: ['Schedule'] },
    contract: (data) => [post(`${prefix}/schedules`, newSchedule(data))],
    parse: (data) => [post('/parse/classes/Schedule', newParseSchedule(data))],
  },
  updateSchedule: {
    label: 'PATCH /schedules/{id}',
    contract: (data) =>
      moves(data, (id, teamId, startDate, endDate) => ({
        method: 'PATCH',
        path: `${prefix}/schedules/${id}`,
        body: JSON.stringify({ teamId, startDate, endDate, eventTitle: 'Moved' }),
      })),
    parse: (data) =>
      moves(data, (id, teamOneId, startDate, endDate) =>
        put(`/parse/classes/Schedule/${id}`, {
          ...{ teamOneId, startDate: parseDate(startDate), endDate: parseDate(endDate), eventTitle: 'Moved' },
        }),
      ),
  },
  createPlayer: {
    label: 'POST …/players, idem-key',
    writes: { contract: ['players'], parse: ['Player', '_Idempotency'] },
    contract: ({ teams: [teamId] }) => [post(`${prefix}/teams/${teamId}/players`, newPlayer, { unique: 'idem-key' })],
    parse: (data) => [post('/parse/classes/Player', newParsePlayer(data), { unique: 'x-parse-request-id' })],
  },
};

/** Headers of every request. */
export function headersOf(speaks, key) {
  const json = { 'content-type': 'application/json' };
  return speaks === 'parse'
    ? { ...json, 'x-parse-application-id': 'bench', 'x-parse-rest-api-key': parseKey, 'x-api-key': key }
    : { ...json, authorization: `Bearer ${key}` };
}
