/** Parts of the requests to the contenders, for the contract and for Parse. */

export const prefix = '/v1/public-api';
export const hour = 3_600_000;
/** Later than all created schedules. */
export const scheduledFor = '2029-05-01T10:00:00.000Z';

/** Returns the path of a Parse query. */
export function search(className, where, order, more = {}) {
  const query = new URLSearchParams({ where: JSON.stringify(where), order, limit: '20', count: '1', ...more });
  return `/parse/classes/${className}?${query}`;
}
export const parseDate = (date) => ({ __type: 'Date', iso: new Date(date).toISOString() });
export const post = (path, body, more = {}) => ({ method: 'POST', path, body: JSON.stringify(body), ...more });
export const get = (path) => ({ method: 'GET', path });
export const put = (path, body) => ({ method: 'PUT', path, body: JSON.stringify(body) });

/**
 * Body of a new schedule. Parse has no defaults and, without the rules, no titles or opponent names, so its client
 * sends them.
 */
export const newSchedule = ({ teams: [teamId, teamTwoId] }) => ({
  ...{ teamId, teamTwoId, startDate: scheduledFor, duration: 60, enableYardage: true, locationName: 'Riverside Park' },
});
export const newParseSchedule = ({ teams: [teamOneId, teamTwoId], organizationId }) => ({
  ...{ organizationId, teamOneId, teamTwoId, teamTwoName: 'Hawks 1', eventTitle: 'Hawks 0 vs Hawks 1' },
  ...{ startDate: parseDate(scheduledFor), endDate: parseDate(Date.parse(scheduledFor) + hour), duration: 60 },
  ...{
    eventType: 'game',
    status: 'scheduled',
    matchupFormat: 'halves',
    teamFormat: '7v7',
    isTestGame: false,
    isScrimmage: false,
  },
  ...{ enableYardage: true, allowZeroYardStart: false, fieldSizeInYard: 50, overtimeType: 'unlimited' },
  ...{ locationName: 'Riverside Park', deletedAt: null },
});
export const newPlayer = {
  ...{ name: 'Jordan Lee', email: 'jordan.lee@example.com', position: ['QB', 'WR'], jerseyNumber: '07' },
};
export const newParsePlayer = ({ teams: [teamId], organizationId }) => ({
  ...{ ...newPlayer, teamId, organizationId, deletedAt: null },
});
