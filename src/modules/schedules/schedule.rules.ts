import type { FieldProblem } from '../../errors/service-error.js';
import { maxInstant } from '../../validation/instant.js';
import { type FieldChanges, toRecordId } from '../../database/record.js';
import type { TeamRef } from '../teams/teams.service.js';
import type { CreateSchedule, OwnTeamIds, UpdateSchedule } from './schedule.dto.js';
import type { EventType, Schedule, ScheduleRecord } from './schedule.schema.js';
import { outcomeFields, validateOutcome } from './game-outcome.rules.js';
import { timeBucketOf } from './time-bucket.js';

const problem = (field: keyof CreateSchedule, rule: string): FieldProblem => ({ field, message: `${field} ${rule}` });

/** The rules between fields; those of one field are in schedule.schema.ts. */
const problems = {
  endNotAfterStart: problem('endDate', 'must be after startDate'),
  endsTooLate: problem('startDate', 'is too late: the schedule must end before 2200'),
  overtimeDurationMissing: problem('overtimeDuration', 'is required if overtimeType is limited'),
  fieldSizeMissing: problem('fieldSizeInYard', 'is required if enableYardage is true'),
  playsItself: problem('teamTwoId', 'must differ from teamId, except for a practice or scrimmage'),
  nameWithoutTeam: problem('teamTwoName', 'must not be null unless teamTwoId links a team, whose name is used then'),
};

/** In yards, of a game whose yards are tracked. */
const defaultFieldSize = 50;

/** The fields of an update request without the team, which identifies the schedule. */
type SentChanges = Omit<UpdateSchedule, 'teamId' | keyof OwnTeamIds>;

/** A create request; an upsert can also set the title. */
type NewSchedule = Omit<CreateSchedule, keyof OwnTeamIds> & { readonly eventTitle?: string };

/** Returns the problems between the fields of a create request. */
export function validateCreate(input: NewSchedule): FieldProblem[] {
  const schedule = Object.assign({}, input, { teamOneId: input.teamId, endDate: computeEnd(input) });
  // The end as it was sent and as it is stored can have the same problem.
  return [...new Set([...validateCommon(input), ...validateSchedule(schedule)])];
}

/** Returns the problems between the fields of an update request. */
export function validateUpdate(changes: SentChanges): FieldProblem[] {
  const { enableYardage, fieldSizeInYard } = changes;
  const needsSize = enableYardage === true && fieldSizeInYard === undefined;
  return [...validateCommon(changes), ...(needsSize ? [problems.fieldSizeMissing] : [])];
}

/** Returns the IDs of the organization's teams that play. */
export function teamIdsOf({ teamOneId, teamTwoId }: Pick<Schedule, 'teamOneId' | 'teamTwoId'>): string[] {
  return teamTwoId === undefined ? [String(teamOneId)] : [String(teamOneId), String(teamTwoId)];
}

/** Returns a key that games of the same two teams at the same time share, whichever of them is the owner. */
export function sameGameKey({ startDate, ...game }: Pick<Schedule, 'teamOneId' | 'teamTwoId' | 'startDate'>): string {
  return [startDate.toISOString(), ...teamIdsOf(game).sort()].join();
}

/** Returns whether an update depends on stored fields, for its rules or for the fields that the server computes. */
export function dependsOnStored({ startDate, endDate, isScrimmage, ...sent }: SentChanges): boolean {
  const sendsOneDate = (startDate === undefined) !== (endDate === undefined);
  return (
    sendsOneDate ||
    endDate === null ||
    isScrimmage === false ||
    // One of them is `eventType`, as a team may play itself in a practice.
    outcomeFields.some((field) => sent[field] !== undefined) ||
    sent.teamTwoId !== undefined ||
    sent.teamTwoName !== undefined ||
    sent.eventTitle === null
  );
}

/** Returns a row with what it leaves to the server: the end after a start or duration, the name of a linked opponent, the field. */
export function asState<T extends SentChanges>(row: T): T {
  const { startDate, duration, endDate, teamTwoId, teamTwoName, enableYardage, fieldSizeInYard } = row;
  const movesEnd = endDate === undefined && (startDate ?? duration) !== undefined;
  const namesTeam = teamTwoName === undefined && typeof teamTwoId === 'string';
  const setsField = enableYardage !== undefined && fieldSizeInYard === undefined;
  const field = setsField && { fieldSizeInYard: enableYardage ? defaultFieldSize : null };
  return { ...row, ...(movesEnd && { endDate: null }), ...(namesTeam && { teamTwoName: null }), ...field };
}

/** Returns the ID of the linked opponent if the request names it, or restores its name. */
export function opponentIdOf({ teamTwoId, teamTwoName }: SentChanges, stored: Schedule): string | null | undefined {
  const restoresName = teamTwoName === null && teamTwoId === undefined;
  return restoresName ? stored.teamTwoId?.toHexString() : teamTwoId;
}

/** The owning team, and the linked opponent if the request names it or restores its name. */
export type RequestTeams = readonly [owner: TeamRef, ...opponent: TeamRef[]];

/** Builds the fields of a new schedule, except those of every record. */
export function buildRecord({ teamId, teamTwoId, ...input }: NewSchedule, [team, opponent]: RequestTeams) {
  const { fieldSizeInYard = input.enableYardage ? defaultFieldSize : undefined } = input;
  const dates = { startDate: input.startDate, endDate: computeEnd(input) };
  const teamTwoName = input.teamTwoName ?? opponent?.name ?? '';
  return {
    ...input,
    ...(fieldSizeInYard !== undefined && { fieldSizeInYard }),
    ...dates,
    timeBucket: timeBucketOf(dates),
    teamOneId: toRecordId(team.id),
    season: team.seasonAt(dates.startDate),
    ...(opponent !== undefined && { teamTwoId: toRecordId(opponent.id) }),
    teamTwoName,
    eventTitle: input.eventTitle ?? formatTitle(input.eventType, team.name, teamTwoName),
  };
}

/**
 * Returns the changes that an update stores, with the fields that the server computes, and their problems with the
 * stored schedule.
 */
export function buildChanges(sent: SentChanges, stored: Schedule, [team, opponent]: RequestTeams) {
  const dates = computeDates(sent, stored);
  const isNewOpponent = opponent !== undefined && stored.teamTwoId?.equals(opponent.id) !== true;
  const usesTeamName = sent.teamTwoName === null || isNewOpponent;
  const teamTwoName = sent.teamTwoName ?? (usesTeamName ? opponent?.name : undefined);
  const opponentName = teamTwoName ?? stored.teamTwoName;
  const eventType = sent.eventType ?? stored.eventType;
  const isRenamed = eventType !== stored.eventType || opponentName !== stored.teamTwoName;
  const follows = isRenamed ? followTitle(stored, team, { eventType, teamTwoName: opponentName }) : undefined;
  // A schedule without a stored status is scheduled.
  const { status = 'scheduled' } = stored as Partial<Schedule>;
  const changes: FieldChanges<ScheduleRecord> = {
    ...sent,
    ...dates,
    status: sent.status === status ? undefined : sent.status,
    season: dates && team.seasonAt(dates.startDate),
    timeBucket: dates && !isSame(dates, stored) ? timeBucketOf(dates) : undefined,
    teamTwoId: sent.teamTwoId === null ? null : opponent && toRecordId(opponent.id),
    teamTwoName,
    eventTitle:
      sent.eventTitle === null ? formatTitle(eventType, team.name, opponentName) : (sent.eventTitle ?? follows),
  };
  const namesNoTeam = sent.teamTwoName === null && opponent === undefined;
  const nameProblems = namesNoTeam ? [problems.nameWithoutTeam] : [];
  return { changes, problems: [...nameProblems, ...validateSchedule(scheduleAfter(stored, changes))] };
}

/** Returns what a renamed team changes in a game: the name of the opponent unless it is another one, and the title. */
export function renameTeams(game: TitledGame, owner: TeamRef | undefined, opponent: TeamRef | undefined) {
  const teamTwoName = opponent?.formerNames.includes(game.teamTwoName) ? opponent.name : game.teamTwoName;
  const { eventType } = game;
  return { teamTwoName, eventTitle: owner && followTitle(game, owner, { eventType, teamTwoName }) };
}

type TitledGame = Pick<Schedule, 'eventType' | 'teamTwoName' | 'eventTitle'>;

/** Returns the title after a change of what it is generated from. A title that differs from the generated one was set, and stays. */
function followTitle(stored: TitledGame, team: TeamRef, after: Omit<TitledGame, 'eventTitle'>): string {
  const titleWith = (name: string) => formatTitle(stored.eventType, name, stored.teamTwoName);
  const isGenerated = [team.name, ...team.formerNames].map(titleWith).includes(stored.eventTitle);
  return isGenerated ? formatTitle(after.eventType, team.name, after.teamTwoName) : stored.eventTitle;
}

/** Returns the changes of an update for which `dependsOnStored` is false, which names no opponent. */
export function changesAsSent({ teamTwoId: _none, ...sent }: SentChanges, team: TeamRef): FieldChanges<ScheduleRecord> {
  const { startDate, endDate } = sent;
  const timeBucket = startDate && endDate ? timeBucketOf({ startDate, endDate }) : undefined;
  return { ...sent, season: startDate && team.seasonAt(startDate), timeBucket };
}

/** Returns the schedule after an update, in which `null` clears a field. */
function scheduleAfter(stored: Schedule, changes: FieldChanges<Schedule>): Schedule {
  const changed = Object.entries(changes).filter(([, value]) => value !== undefined);
  const cleared = changed.map(([field, value]): [string, unknown] => [field, value ?? undefined]);
  return Object.assign({}, stored, Object.fromEntries(cleared));
}

/** What the rules of a complete schedule need, of a sent or of a stored one. */
type CompleteSchedule = Pick<Schedule, 'startDate' | 'endDate' | 'isScrimmage' | (typeof outcomeFields)[number]> &
  Readonly<Partial<Record<'teamOneId' | 'teamTwoId', unknown>>>;

/** Returns the problems between the fields of a complete schedule. */
function validateSchedule(schedule: CompleteSchedule): FieldProblem[] {
  const { startDate, endDate, teamOneId, teamTwoId } = schedule;
  const playsItself = String(teamTwoId).toLowerCase() === String(teamOneId).toLowerCase();
  const mayPlayItself = schedule.eventType === 'practice' || schedule.isScrimmage;
  return [
    ...(endDate <= startDate ? [problems.endNotAfterStart] : []),
    ...(endDate >= maxInstant ? [problems.endsTooLate] : []),
    ...(playsItself && !mayPlayItself ? [problems.playsItself] : []),
    ...validateOutcome(schedule),
  ];
}

function validateCommon({ startDate, endDate, overtimeType, overtimeDuration }: SentChanges): FieldProblem[] {
  const endsBeforeStart = startDate && endDate && endDate <= startDate;
  const needsDuration = overtimeType === 'limited' && overtimeDuration === undefined;
  return [
    ...(endsBeforeStart ? [problems.endNotAfterStart] : []),
    ...(needsDuration ? [problems.overtimeDurationMissing] : []),
  ];
}

type Dates = Pick<Schedule, 'startDate' | 'endDate'>;

/** Returns the end of a new schedule: as sent, or `duration` minutes after the start. */
function computeEnd({ startDate, endDate, duration }: Omit<CreateSchedule, 'teamId'>): Date {
  return endDate ?? addMinutes(startDate, duration);
}

function addMinutes(date: Date, minutes: number): Date {
  return new Date(date.getTime() + minutes * 60_000);
}

/**
 * Returns both dates after an update of one or both. If only the start is sent, the end stays if it is after the new
 * start; otherwise it moves by the same amount. `null` sets the end to `duration` minutes after the start.
 */
function computeDates({ startDate, endDate, duration }: SentChanges, stored: Schedule): Dates | undefined {
  if (startDate === undefined && endDate === undefined) return undefined;
  const start = startDate ?? stored.startDate;
  if (endDate !== undefined)
    return { startDate: start, endDate: endDate ?? addMinutes(start, duration ?? stored.duration) };
  const moved = new Date(stored.endDate.getTime() + start.getTime() - stored.startDate.getTime());
  return { startDate: start, endDate: stored.endDate > start ? stored.endDate : moved };
}

function isSame({ startDate, endDate }: Dates, stored: Dates): boolean {
  return startDate.getTime() === stored.startDate.getTime() && endDate.getTime() === stored.endDate.getTime();
}

/** Returns the generated title: `Hawks vs Foxes` or `Hawks practice`. */
function formatTitle(eventType: EventType, teamName: string, opponentName: string): string {
  return eventType === 'practice' ? `${teamName} practice` : `${teamName} vs ${opponentName}`;
}
