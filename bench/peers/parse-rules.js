import { createHash } from 'node:crypto';
import { mendDirectAccess } from './parse-direct-access.js';

/**
 * The rules of the contract in Cloud Code: tenant isolation by the organization of the API key, and the
 * idempotency of Parse Server.
 */
const master = { useMasterKey: true };
const organizationsClasses = ['Team', 'Schedule', 'Player', 'PlayerStatistic'];
/** Fields of a schedule that cannot change; an update must name the team. */
const kept = ['teamOneId', 'teamTwoId'];

/** Options of Parse Server, except for its classes. */
export const rules = {
  cloud: addTriggers,
  // Only creating a player; one day, in seconds.
  idempotencyOptions: { paths: ['^classes/Player$'], ttl: 86_400 },
  // No logs: by default the input and output of each trigger are formatted for the log.
  logLevels: { triggerBeforeSuccess: 'silent', triggerBeforeError: 'silent' },
};

function addTriggers(Parse) {
  mendDirectAccess();
  const { OPERATION_FORBIDDEN, OBJECT_NOT_FOUND, VALIDATION_ERROR } = Parse.Error;
  const parseError = (code, message) => new Parse.Error(code, message);

  /** Creates a trigger with the organization of the API key; skips queries of the Cloud Code itself (master key). */
  const forOrganization = (work) => async (request) => {
    if (!request.master) await work(request, await organizationOf(request.headers['x-api-key']));
  };

  async function organizationOf(key) {
    const digest = createHash('sha256')
      .update(key ?? '')
      .digest('hex');
    const found = await new Parse.Query('ApiKey').equalTo('digest', digest).first(master);
    if (!found) throw parseError(OPERATION_FORBIDDEN, 'Invalid API key');
    return found.get('organizationId');
  }

  /** Returns the names of teams by ID; rejects teams of other organizations. */
  async function teamNames(organizationId, ids) {
    const teams = await new Parse.Query('Team')
      .containedIn('objectId', ids)
      .equalTo('organizationId', organizationId)
      .equalTo('deletedAt', null)
      .select('name')
      .find(master);
    const names = new Map(teams.map((team) => [team.id, team.get('name')]));
    if (!ids.every((id) => names.has(id)))
      throw parseError(OPERATION_FORBIDDEN, "The team does not belong to the API key's organization");
    return names;
  }

  /** Sets the organization of a new record; rejects changes of other organizations' records. */
  function keepOwn({ object, original }, organizationId) {
    object.increment('revision');
    if (!original) return object.set('organizationId', organizationId);
    const isOwn = [object, original].every((record) => record.get('organizationId') === organizationId);
    if (!isOwn || original.get('deletedAt')) throw parseError(OBJECT_NOT_FOUND, 'Object not found.');
  }

  async function completeNewSchedule(schedule, organizationId) {
    const [teamId, teamTwoId] = kept.map((name) => schedule.get(name));
    if (!teamTwoId && !schedule.get('teamTwoName'))
      throw parseError(VALIDATION_ERROR, 'Either teamTwoId or teamTwoName must be provided');
    const names = await teamNames(organizationId, teamTwoId ? [teamId, teamTwoId] : [teamId]);
    if (!schedule.get('teamTwoName')) schedule.set('teamTwoName', names.get(teamTwoId));
    if (schedule.get('eventTitle')) return;
    const name = names.get(teamId);
    const isPractice = schedule.get('eventType') === 'practice';
    schedule.set('eventTitle', isPractice ? `${name} practice` : `${name} vs ${schedule.get('teamTwoName')}`);
  }

  function assertScheduleChange(schedule, original) {
    if (!schedule.dirty('teamOneId')) throw parseError(VALIDATION_ERROR, 'teamOneId is required');
    if (kept.some((name) => schedule.get(name) !== original.get(name)))
      throw parseError(OPERATION_FORBIDDEN, 'The schedule belongs to another team');
  }

  for (const className of organizationsClasses)
    Parse.Cloud.beforeFind(
      className,
      forOrganization(({ query }, organizationId) => query.equalTo('organizationId', organizationId)),
    );

  Parse.Cloud.beforeSave(
    'Schedule',
    forOrganization(async ({ object, original }, organizationId) => {
      keepOwn({ object, original }, organizationId);
      if (original) assertScheduleChange(object, original);
      else await completeNewSchedule(object, organizationId);
      if (!(object.get('endDate') > object.get('startDate')))
        throw parseError(VALIDATION_ERROR, 'endDate must be after startDate');
    }),
  );

  Parse.Cloud.beforeSave(
    'Player',
    forOrganization(async ({ object, original }, organizationId) => {
      keepOwn({ object, original }, organizationId);
      await teamNames(organizationId, [object.get('teamId')]);
    }),
  );

  // Not writable by the contract.
  for (const className of ['Team', 'PlayerStatistic'])
    Parse.Cloud.beforeSave(
      className,
      forOrganization(() => {
        throw parseError(OPERATION_FORBIDDEN, `${className} is not written by this API`);
      }),
    );
}
