import {
  get,
  newParsePlayer,
  newParseSchedule,
  newPlayer,
  newSchedule,
  parseDate,
  post,
  prefix,
  put,
  scheduledFor,
} from './requests.js';

const aList = get(`${prefix}/teams`);
const aParseList = get('/parse/classes/Team?limit=1');
const getSchedule = (id) => get(`${prefix}/schedules/${id}`);
const getParseSchedule = (id) => get(`/parse/classes/Schedule/${id}`);
const patch = (id, changes) => ({
  method: 'PATCH',
  path: `${prefix}/schedules/${id}`,
  body: JSON.stringify(changes),
});
const putSchedule = (id, changes) => put(`/parse/classes/Schedule/${id}`, changes);
const parseSchedule = (data, more) => post('/parse/classes/Schedule', { ...newParseSchedule(data), ...more });
const parsePlayer = (data, more, headers) =>
  post('/parse/classes/Player', { ...newParsePlayer(data), ...more }, { headers });

/**
 * Requests that are rejected: those of the contract equally by all its servers, those of Parse, if one of its
 * rules applies, in any way. In a list of requests, the last one is rejected.
 */
export const rejections = {
  'without a key': {
    contract: () => ({ ...aList, headers: { authorization: '' } }),
    parse: () => ({ ...aParseList, headers: { 'x-api-key': '' } }),
  },
  'with a wrong key': {
    contract: () => ({ ...aList, headers: { authorization: 'Bearer ffk_live_x' } }),
    parse: () => ({ ...aParseList, headers: { 'x-api-key': 'ffk_live_x' } }),
  },
  'for a player with a wrong key': {
    contract: ({ teams: [teamId] }) =>
      post(`${prefix}/teams/${teamId}/players`, newPlayer, { headers: { authorization: 'Bearer ffk_live_x' } }),
    parse: (data) => parsePlayer(data, {}, { 'x-api-key': 'ffk_live_x' }),
  },
  'with a page of 101': { contract: () => get(`${prefix}/teams?limit=101`) },
  'for a malformed id': { contract: () => getSchedule('x'), parse: () => getParseSchedule('x') },
  'for an unknown schedule': {
    contract: () => getSchedule('0'.repeat(24)),
    parse: () => getParseSchedule('0'.repeat(24)),
  },
  "for another organization's schedule": {
    contract: ({ foreignSchedule }) => getSchedule(foreignSchedule),
    parse: ({ foreignSchedule }) => getParseSchedule(foreignSchedule),
  },
  'without an opponent': {
    contract: ({ teams }) => post(`${prefix}/schedules`, { teamId: teams[0], startDate: scheduledFor }),
    parse: (data) => parseSchedule(data, { teamTwoId: undefined, teamTwoName: undefined }),
  },
  'with an unknown field': {
    contract: (data) => post(`${prefix}/schedules`, { ...newSchedule(data), isRecurring: true }),
    parse: (data) => parseSchedule(data, { isRecurring: true }),
  },
  "with another organization's team": {
    contract: (data) => post(`${prefix}/schedules`, { ...newSchedule(data), teamId: data.foreignTeam }),
    parse: (data) => parseSchedule(data, { teamOneId: data.foreignTeam }),
  },
  "with another organization's opponent": {
    contract: (data) => post(`${prefix}/schedules`, { ...newSchedule(data), teamTwoId: data.foreignTeam }),
    parse: (data) => parseSchedule(data, { teamTwoId: data.foreignTeam }),
  },
  "for a player in another organization's team": {
    contract: ({ foreignTeam }) => post(`${prefix}/teams/${foreignTeam}/players`, newPlayer, { unique: 'idem-key' }),
    parse: (data) => parsePlayer(data, { teamId: data.foreignTeam }),
  },
  "for a schedule of another team's": {
    contract: ({ changed: [{ id }], teams }) => patch(id, { teamId: teams[1], eventTitle: 'Moved' }),
    parse: ({ changed: [{ id }], teams }) => putSchedule(id, { teamOneId: teams[1], eventTitle: 'Moved' }),
  },
  "for a change of another organization's schedule": {
    contract: ({ foreignSchedule, teams }) => patch(foreignSchedule, { teamId: teams[0], eventTitle: 'Moved' }),
    parse: ({ foreignSchedule, foreignTeam }) =>
      putSchedule(foreignSchedule, { teamOneId: foreignTeam, eventTitle: 'Moved' }),
  },
  'for a change that names no team': {
    contract: ({ changed: [{ id }] }) => patch(id, { eventTitle: 'Moved' }),
    parse: ({ changed: [{ id }] }) => putSchedule(id, { eventTitle: 'Moved' }),
  },
  'for an end before the start': {
    contract: ({ changed: [{ id, teamId, startDate }] }) => patch(id, { teamId, startDate, endDate: new Date(0) }),
    parse: ({ changed: [{ id, teamId }] }) => putSchedule(id, { teamOneId: teamId, endDate: parseDate(new Date(0)) }),
  },
  // The contract replays the response for a used idem-key; Parse rejects it.
  'for a player for the second time': {
    parse: (data) => {
      const request = parsePlayer(data, {}, { 'x-parse-request-id': crypto.randomUUID() });
      return [request, request];
    },
  },
};
