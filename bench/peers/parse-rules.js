import { createHash } from 'node:crypto';
import { mendDirectAccess } from './parse-direct-access.js';

/**
 * The contract's rules as a team adds them to Parse Server: Cloud Code that finds the organization of the request's key and keeps
 * everybody within their own, and Parse's own memory of requests that were sent before.
 */
const master = { useMasterKey: true };
const organizationsClasses = ['Team', 'Schedule', 'Player', 'PlayerStatistic'];
/** What a schedule keeps for good; its team is also what an update must name. */
const kept = ['teamOneId', 'teamTwoId'];

/** What Parse Server is started with beside its classes. */
export const rules = {
  cloud: addTriggers,
  // Only the create of a player; a day, in seconds.
  idempotencyOptions: { paths: ['^classes/Player$'], ttl: 86_400 },
  // Nothing is logged here either: as it comes, what goes into a trigger and out of it is made a text for the log each time.
  logLevels: { triggerBeforeSuccess: 'silent', triggerBeforeError: 'silent' },
};

function addTriggers(Parse) {
  mendDirectAccess();
  const { OPERATION_FORBIDDEN, OBJECT_NOT_FOUND, VALIDATION_ERROR } = Parse.Error;
  const refusal = (code, message) => new Parse.Error(code, message);

  /** A trigger that gets the organization of the caller's key; queries of the Cloud Code itself, with the master key, pass. */
  const forOrganization = (work) => async (request) => {
    if (!request.master) await work(request, await organizationOf(request.headers['x-api-key']));
  };

  async function organizationOf(key) {
    const digest = createHash('sha256')
      .update(key ?? '')
      .digest('hex');
    const found = await new Parse.Query('ApiKey').equalTo('digest', digest).first(master);
    if (!found) throw refusal(OPERATION_FORBIDDEN, 'Invalid API key');
    return found.get('organizationId');
  }

  /** The names of teams by id, all of them of the organization. */
  async function teamNames(organizationId, ids) {
    const teams = await new Parse.Query('Team')
      .containedIn('objectId', ids)
      .equalTo('organizationId', organizationId)
      .equalTo('deletedAt', null)
      .select('name')
      .find(master);
    const names = new Map(teams.map((team) => [team.id, team.get('name')]));
    if (!ids.every((id) => names.has(id)))
      throw refusal(OPERATION_FORBIDDEN, "The team does not belong to the API key's organization");
    return names;
  }

  /** Makes a new record the organization's; an old one must be, and stay so. */
  function keepOwn({ object, original }, organizationId) {
    if (!original) return object.set('organizationId', organizationId);
    const isOwn = [object, original].every((record) => record.get('organizationId') === organizationId);
    if (!isOwn || original.get('deletedAt')) throw refusal(OBJECT_NOT_FOUND, 'Object not found.');
  }

  async function completeNewSchedule(schedule, organizationId) {
    const [teamId, teamTwoId] = kept.map((name) => schedule.get(name));
    if (!teamTwoId && !schedule.get('teamTwoName'))
      throw refusal(VALIDATION_ERROR, 'Either teamTwoId or teamTwoName must be provided');
    const names = await teamNames(organizationId, teamTwoId ? [teamId, teamTwoId] : [teamId]);
    if (!schedule.get('teamTwoName')) schedule.set('teamTwoName', names.get(teamTwoId));
    if (schedule.get('eventTitle')) return;
    const name = names.get(teamId);
    const isPractice = schedule.get('eventType') === 'practice';
    schedule.set('eventTitle', isPractice ? `${name} practice` : `${name} vs ${schedule.get('teamTwoName')}`);
  }

  function demandScheduleChange(schedule, original) {
    if (!schedule.dirty('teamOneId')) throw refusal(VALIDATION_ERROR, 'teamOneId is required');
    if (kept.some((name) => schedule.get(name) !== original.get(name)))
      throw refusal(OPERATION_FORBIDDEN, 'The schedule belongs to another team');
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
      if (original) demandScheduleChange(object, original);
      else await completeNewSchedule(object, organizationId);
      if (!(object.get('endDate') > object.get('startDate')))
        throw refusal(VALIDATION_ERROR, 'endDate must be after startDate');
    }),
  );

  Parse.Cloud.beforeSave(
    'Player',
    forOrganization(async ({ object, original }, organizationId) => {
      keepOwn({ object, original }, organizationId);
      await teamNames(organizationId, [object.get('teamId')]);
    }),
  );

  // No route of the contract writes these.
  for (const className of ['Team', 'PlayerStatistic'])
    Parse.Cloud.beforeSave(
      className,
      forOrganization(() => {
        throw refusal(OPERATION_FORBIDDEN, `${className} is not written by this API`);
      }),
    );
}
