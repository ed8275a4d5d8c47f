import { parseKey } from './contenders.js';

const prefix = '/v1/public-api';
const hour = 3_600_000;
/** Far ahead of all that is seeded. */
const scheduledFor = '2029-05-01T10:00:00.000Z';

/** Where a list or a search of Parse's is found. */
function search(className, where, order, more = {}) {
  const query = new URLSearchParams({ where: JSON.stringify(where), order, limit: '20', count: '1', ...more });
  return `/parse/classes/${className}?${query}`;
}
const parseDate = (date) => ({ __type: 'Date', iso: new Date(date).toISOString() });
const post = (path, body, more = {}) => ({ method: 'POST', path, body: JSON.stringify(body), ...more });
const get = (path) => ({ method: 'GET', path });

/** What is sent of a new schedule; Parse knows no defaults, titles or opponents' names, so its client sends them. */
const newSchedule = ({ teams: [teamId, teamTwoId] }) => ({
  ...{ teamId, teamTwoId, startDate: scheduledFor, duration: 60, enableYardage: true, locationName: 'Riverside Park' },
});
const newParseSchedule = ({ teams: [teamOneId, teamTwoId], organizationId }) => ({
  ...{ organizationId, teamOneId, teamTwoId, teamTwoName: 'Hawks 1', eventTitle: 'Hawks 0 vs Hawks 1' },
  ...{ startDate: parseDate(scheduledFor), endDate: parseDate(Date.parse(scheduledFor) + hour), duration: 60 },
  ...{ eventType: 'game', matchupFormat: 'halves', teamFormat: '7v7', isTestGame: false, isScrimmage: false },
  ...{ enableYardage: true, allowZeroYardStart: false, fieldSizeInYard: 50, overtimeType: 'unlimited' },
  ...{ locationName: 'Riverside Park', deletedAt: null },
});
const newPlayer = {
  ...{ name: 'Jordan Lee', email: 'jordan.lee@example.com', position: ['QB', 'WR'], jerseyNumber: '07' },
};

/** Every schedule is moved to and fro, so that each write changes the indexes. */
const moves = ({ changed }, toRequest) =>
  [2, 0].flatMap((hours) =>
    changed.map(({ id, teamId, startDate }) => {
      const start = startDate.getTime() + hours * hour;
      return toRequest(id, teamId, new Date(start), new Date(start + hour));
    }),
  );

/**
 * What is measured: the requests in the contract's words and in Parse's, made of what was arranged. `writes` names the collection
 * that grows, `least` the ratio to the bare Express server that is the goal.
 */
export const operations = {
  teams: {
    label: 'GET /teams',
    least: 1,
    contract: () => [get(`${prefix}/teams`)],
    parse: ({ organizationId }) => [get(search('Team', { organizationId, deletedAt: null }, 'createdAt,objectId'))],
  },
  upcoming: {
    label: 'GET /schedules?filter=upcoming',
    least: 1,
    contract: () => [get(`${prefix}/schedules?filter=upcoming`)],
    parse: ({ organizationId, now }) => [
      get(
        search(
          'Schedule',
          { organizationId, deletedAt: null, startDate: { $gt: parseDate(now) } },
          'startDate,objectId',
        ),
      ),
    ],
  },
  live: {
    label: 'GET /schedules?filter=live',
    least: 1,
    contract: () => [get(`${prefix}/schedules?filter=live`)],
    parse: ({ organizationId, now }) => {
      const live = { startDate: { $lte: parseDate(now) }, endDate: { $gt: parseDate(now) } };
      return [get(search('Schedule', { organizationId, deletedAt: null, ...live }, 'startDate,objectId'))];
    },
  },
  schedule: {
    label: 'GET /schedules/{id}',
    least: 1,
    contract: ({ read }) => read.map((id) => get(`${prefix}/schedules/${id}`)),
    parse: ({ read }) => read.map((id) => get(`/parse/classes/Schedule/${id}`)),
  },
  statistics: {
    label: 'GET …/player-statistics',
    least: 1,
    contract: ({ played }) => [get(`${prefix}/schedules/${played}/player-statistics`)],
    parse: ({ organizationId, played }) => {
      const order = 'teamName,category,playerName,playerId';
      return [get(search('PlayerStatistic', { organizationId, scheduleId: played }, order, { limit: '1000' }))];
    },
  },
  createSchedule: {
    label: 'POST /schedules',
    least: 1,
    writes: { contract: 'schedules', parse: 'Schedule' },
    contract: (data) => [post(`${prefix}/schedules`, newSchedule(data))],
    parse: (data) => [post('/parse/classes/Schedule', newParseSchedule(data))],
  },
  updateSchedule: {
    label: 'PATCH /schedules/{id}',
    least: 1,
    contract: (data) =>
      moves(data, (id, teamId, startDate, endDate) => ({
        method: 'PATCH',
        path: `${prefix}/schedules/${id}`,
        body: JSON.stringify({ teamId, startDate, endDate, eventTitle: 'Moved' }),
      })),
    parse: (data) =>
      moves(data, (id, teamId, startDate, endDate) => ({
        method: 'PUT',
        path: `/parse/classes/Schedule/${id}`,
        body: JSON.stringify({ startDate: parseDate(startDate), endDate: parseDate(endDate), eventTitle: 'Moved' }),
      })),
  },
  createPlayer: {
    label: 'POST …/players, idem-key',
    least: 0.8,
    writes: { contract: 'players', parse: 'Player' },
    contract: ({ teams: [teamId] }) => [post(`${prefix}/teams/${teamId}/players`, newPlayer, { unique: 'idem-key' })],
    parse: ({ teams: [teamId], organizationId }) => [
      post('/parse/classes/Player', { ...newPlayer, teamId, organizationId, deletedAt: null }, { unique: 'idem-key' }),
    ],
  },
};

/** Requests that are refused, and must be by all in the same way. */
export const refusals = {
  'without a key': () => ({ ...get(`${prefix}/teams`), headers: { authorization: '' } }),
  'with a wrong key': () => ({ ...get(`${prefix}/teams`), headers: { authorization: 'Bearer ffk_live_x' } }),
  'with a page of 101': () => get(`${prefix}/teams?limit=101`),
  'for a malformed id': () => get(`${prefix}/schedules/x`),
  'for an unknown schedule': () => get(`${prefix}/schedules/${'0'.repeat(24)}`),
  "for another organization's schedule": ({ foreignSchedule }) => get(`${prefix}/schedules/${foreignSchedule}`),
  'without an opponent': ({ teams }) => post(`${prefix}/schedules`, { teamId: teams[0], startDate: scheduledFor }),
  'with an unknown field': (data) => post(`${prefix}/schedules`, { ...newSchedule(data), isRecurring: true }),
  "with another organization's team": (data) =>
    post(`${prefix}/schedules`, { ...newSchedule(data), teamId: data.foreignTeam }),
  "for a schedule of another team's": ({ changed: [{ id }], teams }) => ({
    method: 'PATCH',
    path: `${prefix}/schedules/${id}`,
    body: JSON.stringify({ teamId: teams[1], eventTitle: 'Moved' }),
  }),
};

/** What every request of a kind carries. */
export function headersOf(speaks, key) {
  const json = { 'content-type': 'application/json' };
  return speaks === 'parse'
    ? { ...json, 'x-parse-application-id': 'bench', 'x-parse-rest-api-key': parseKey }
    : { ...json, authorization: `Bearer ${key}` };
}
