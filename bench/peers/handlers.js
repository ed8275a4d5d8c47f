import {
  parseId,
  assertValidSchedule,
  newPlayer,
  newSchedule,
  noSuchSchedule,
  ApiError,
  teamForbidden,
} from './rules.js';
import { listQuery, scheduleChanges } from './rules.js';

/** The handlers of both hand-written servers: from `{caller, params, query, body}` to the response body. */
export function createHandlers(store) {
  const throwMissing = async (id) => {
    if (await store.scheduleExists(id))
      throw new ApiError(40302, "The schedule does not belong to the API key's organization");
    throw noSuchSchedule();
  };

  return {
    listTeams: ({ caller, query }) => store.listTeams(caller, listQuery(query)),

    listSchedules({ caller, query }) {
      const { filter, ...paging } = listQuery(query);
      return store.listSchedules(caller, filter, paging);
    },

    async getSchedule({ caller, params }) {
      const schedule = await store.findSchedule(caller, parseId(params.scheduleId));
      return schedule ? { data: schedule } : throwMissing(params.scheduleId);
    },

    async getStatistics({ caller, params }) {
      return (
        (await store.findStatistics(caller, parseId(params.scheduleId))) ?? (await throwMissing(params.scheduleId))
      );
    },

    async createSchedule({ caller, body }) {
      assertValidSchedule(body);
      const names = await store.teamNames(caller, [body.teamId, body.teamTwoId].filter(Boolean));
      return store.insertSchedule(caller, newSchedule(body, names));
    },

    /** The update filter has organization and team; the reason is read only if it matched nothing. */
    async updateSchedule({ caller, params, body }) {
      const { team, changes } = scheduleChanges(body);
      const id = parseId(params.scheduleId);
      const isTeamId = /^[0-9a-f]{24}$/i.test(team);
      const updated = isTeamId && (await store.updateSchedule(caller, id, team, changes));
      if (updated) return updated;
      if ((await store.teamNames(caller, [team])).size === 0) throw teamForbidden();
      const schedule = (await store.findSchedule(caller, id)) ?? (await throwMissing(id));
      if (String(schedule.teamOneId) !== team) throw new ApiError(40304, 'The schedule belongs to another team');
      throw new ApiError(40001, 'endDate must be after startDate');
    },

    async createPlayer({ caller, params, body }) {
      const fields = newPlayer(body);
      if ((await store.teamNames(caller, [params.teamId])).size === 0) throw teamForbidden();
      return store.insertPlayer(caller, params.teamId, fields);
    },
  };
}
