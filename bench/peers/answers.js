import {
  demandId,
  demandNewSchedule,
  newPlayer,
  newSchedule,
  noSuchSchedule,
  Refusal,
  teamForbidden,
} from './rules.js';
import { listQuery, scheduleChanges } from './rules.js';

/** What each route answers, of `{caller, params, query, body}`: the same for both hand-written servers. */
export function answersOf(store) {
  const refuseMissing = async (id) => {
    if (await store.scheduleExists(id))
      throw new Refusal(40302, "The schedule does not belong to the API key's organization");
    throw noSuchSchedule();
  };

  return {
    listTeams: ({ caller, query }) => store.listTeams(caller, listQuery(query)),

    listSchedules({ caller, query }) {
      const { filter, ...paging } = listQuery(query);
      return store.listSchedules(caller, filter, paging);
    },

    async getSchedule({ caller, params }) {
      const schedule = await store.findSchedule(caller, demandId(params.scheduleId));
      return schedule ? { data: schedule } : refuseMissing(params.scheduleId);
    },

    async getStatistics({ caller, params }) {
      return (
        (await store.findStatistics(caller, demandId(params.scheduleId))) ?? (await refuseMissing(params.scheduleId))
      );
    },

    async createSchedule({ caller, body }) {
      demandNewSchedule(body);
      const names = await store.teamNames(caller, [body.teamId, body.teamTwoId].filter(Boolean));
      return store.insertSchedule(caller, newSchedule(body, names));
    },

    /** The update names organization and team itself; why it found nothing is asked only then. */
    async updateSchedule({ caller, params, body }) {
      const { team, changes } = scheduleChanges(body);
      const id = demandId(params.scheduleId);
      const isTeamId = /^[0-9a-f]{24}$/i.test(team);
      const updated = isTeamId && (await store.updateSchedule(caller, id, team, changes));
      if (updated) return updated;
      if ((await store.teamNames(caller, [team])).size === 0) throw teamForbidden();
      const schedule = (await store.findSchedule(caller, id)) ?? (await refuseMissing(id));
      if (String(schedule.teamOneId) !== team) throw new Refusal(40304, 'The schedule belongs to another team');
      throw new Refusal(40001, 'endDate must be after startDate');
    },

    async createPlayer({ caller, params, body }) {
      const fields = newPlayer(body);
      if ((await store.teamNames(caller, [params.teamId])).size === 0) throw teamForbidden();
      return store.insertPlayer(caller, params.teamId, fields);
    },
  };
}
