import type { FieldProblem } from '../../common/errors/service-error.js';
import { maxInstant } from '../../common/validation/instant.js';
import type { CreateSchedule, UpdateSchedule } from './schedule.dto.js';
import type { Schedule } from './schedule.schema.js';

const problems = {
  endNotAfterStart: { field: 'endDate', message: 'endDate must be after startDate' },
  overtimeDurationMissing: {
    field: 'overtimeDuration',
    message: 'overtimeDuration is required if overtimeType is limited',
  },
  endsTooLate: { field: 'startDate', message: 'startDate is too late: the schedule must end before 2200' },
  fieldSizeMissing: { field: 'fieldSizeInYard', message: 'fieldSizeInYard is required if enableYardage is true' },
  playsItself: {
    field: 'teamTwoId',
    message: 'teamTwoId must differ from teamId, except for a practice or scrimmage',
  },
} as const satisfies Record<string, FieldProblem>;

/** The fields of an update request without the team, which identifies the schedule. */
type SentChanges = Omit<UpdateSchedule, 'teamId'>;

/** Returns the problems between the fields of a create request. */
export function validateCreate(input: CreateSchedule): FieldProblem[] {
  const playsItself = input.teamTwoId?.toLowerCase() === input.teamId.toLowerCase();
  return [
    ...validateCommon(input),
    ...(computeEnd(input) >= maxInstant ? [problems.endsTooLate] : []),
    ...(playsItself && isRegularGame(input) ? [problems.playsItself] : []),
  ];
}

/** Returns the problems between the fields of an update request. */
export function validateUpdate(changes: UpdateSchedule): FieldProblem[] {
  const needsSize = changes.enableYardage === true && changes.fieldSizeInYard === undefined;
  return [...validateCommon(changes), ...(needsSize ? [problems.fieldSizeMissing] : [])];
}

/** Returns the stored fields that the rules for an update depend on. */
export function getDependencies({ startDate, endDate, eventType, isScrimmage }: SentChanges): (keyof Schedule)[] {
  const changesOneDate = (startDate === undefined) !== (endDate === undefined);
  const canBecomeGame = eventType === 'game' || isScrimmage === false;
  return [
    ...(changesOneDate ? (['startDate', 'endDate'] as const) : []),
    ...(canBecomeGame ? (['teamTwoId', 'eventType', 'isScrimmage'] as const) : []),
  ];
}

/** Returns the problems of an update with the stored schedule. */
export function validateWithStored(changes: SentChanges, stored: Schedule): FieldProblem[] {
  const { startDate, endDate } = computeDates(changes, stored) ?? stored;
  const eventType = changes.eventType ?? stored.eventType;
  const isScrimmage = changes.isScrimmage ?? stored.isScrimmage;
  const playsItself = stored.teamTwoId?.equals(stored.teamOneId) === true;
  return [
    ...(endDate <= startDate ? [problems.endNotAfterStart] : []),
    ...(endDate >= maxInstant ? [problems.endsTooLate] : []),
    ...(playsItself && isRegularGame({ eventType, isScrimmage }) ? [problems.playsItself] : []),
  ];
}

type AnyRequest = Pick<UpdateSchedule, 'startDate' | 'endDate' | 'overtimeType' | 'overtimeDuration'>;

function validateCommon({ startDate, endDate, overtimeType, overtimeDuration }: AnyRequest): FieldProblem[] {
  const endsBeforeStart = startDate !== undefined && endDate !== undefined && endDate <= startDate;
  const needsDuration = overtimeType === 'limited' && overtimeDuration === undefined;
  return [
    ...(endsBeforeStart ? [problems.endNotAfterStart] : []),
    ...(needsDuration ? [problems.overtimeDurationMissing] : []),
  ];
}

/** Returns whether the teams must differ: a team can face itself only in a practice or a scrimmage. */
function isRegularGame({ eventType, isScrimmage }: Pick<Schedule, 'eventType' | 'isScrimmage'>): boolean {
  return eventType === 'game' && !isScrimmage;
}

/** Returns the end: as sent, or `duration` minutes after the start. */
export function computeEnd({
  startDate,
  endDate,
  duration,
}: Pick<CreateSchedule, 'startDate' | 'endDate' | 'duration'>): Date {
  return endDate ?? new Date(startDate.getTime() + duration * 60_000);
}

type Dates = Pick<Schedule, 'startDate' | 'endDate'>;

/**
 * Returns both dates after an update of one or both. If only the start is sent, the end stays if it is after the new
 * start; otherwise it moves by the same amount.
 */
export function computeDates({ startDate, endDate }: Partial<Dates>, stored: Dates | undefined): Dates | undefined {
  if (startDate === undefined) return endDate && stored && { startDate: stored.startDate, endDate };
  if (endDate === undefined) return stored && { startDate, endDate: moveEnd(startDate, stored) };
  return { startDate, endDate };
}

function moveEnd(startDate: Date, stored: Dates): Date {
  if (stored.endDate > startDate) return stored.endDate;
  return new Date(stored.endDate.getTime() + startDate.getTime() - stored.startDate.getTime());
}

/** Returns the field size: as sent, or 50 yards if yards are tracked. */
export function computeFieldSize({
  fieldSizeInYard,
  enableYardage,
}: Pick<CreateSchedule, 'fieldSizeInYard' | 'enableYardage'>): number | undefined {
  return fieldSizeInYard ?? (enableYardage ? 50 : undefined);
}

/** Returns the title of a new schedule: `Hawks vs Foxes` or `Hawks practice`. */
export function formatTitle(eventType: CreateSchedule['eventType'], teamName: string, opponentName: string): string {
  return eventType === 'practice' ? `${teamName} practice` : `${teamName} vs ${opponentName}`;
}
