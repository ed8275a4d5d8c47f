import type { FieldProblem } from '../../common/errors/service-error.js';
import { maximumInstant } from '../../common/validation/instant.js';
import type { CreateSchedule, UpdateSchedule } from './schedule.dto.js';
import type { Schedule } from './schedule.schema.js';

/** The rules between the fields of a request. They are checked before any record is read, because they need none. */

const problems = {
  endNotAfterStart: { field: 'endDate', message: 'endDate must be after startDate' },
  overtimeDurationMissing: {
    field: 'overtimeDuration',
    message: 'overtimeDuration is required if overtimeType is limited',
  },
  endsTooLate: { field: 'startDate', message: 'startDate must be early enough for the end to be in 2199 or before' },
  fieldSizeMissing: { field: 'fieldSizeInYard', message: 'fieldSizeInYard is required if enableYardage is true' },
  playsItself: {
    field: 'teamTwoId',
    message: 'teamTwoId must differ from teamId, except for a practice or scrimmage',
  },
} as const satisfies Record<string, FieldProblem>;

/** Returns the problems between the fields of a create request. */
export function validateCreate(input: CreateSchedule): FieldProblem[] {
  const playsItself = input.teamTwoId?.toLowerCase() === input.teamId.toLowerCase();
  return [
    ...validateCommon(input),
    ...(computeEnd(input) >= maximumInstant ? [problems.endsTooLate] : []),
    ...(playsItself && input.eventType === 'game' && !input.isScrimmage ? [problems.playsItself] : []),
  ];
}

/** Returns the problems between the fields of an update request. */
export function validateUpdate(changes: UpdateSchedule): FieldProblem[] {
  const needsSize = changes.enableYardage === true && changes.fieldSizeInYard === undefined;
  return [...validateCommon(changes), ...(needsSize ? [problems.fieldSizeMissing] : [])];
}

/**
 * Returns the problems of changes with the stored schedule. The update's filter has the same conditions; this explains
 * which failed.
 */
export function validateWithStored(changes: Omit<UpdateSchedule, 'teamId'>, stored: Schedule): FieldProblem[] {
  const { startDate, endDate } = changes;
  const endsBeforeStart = startDate === undefined && endDate !== undefined && endDate <= stored.startDate;
  const eventType = changes.eventType ?? stored.eventType;
  const isScrimmage = changes.isScrimmage ?? stored.isScrimmage;
  const playsItself = stored.teamTwoId?.equals(stored.teamOneId) === true && eventType === 'game' && !isScrimmage;
  const endsTooLate = startDate !== undefined && endDate === undefined && shiftEnd(startDate, stored) >= maximumInstant;
  return [
    ...(endsBeforeStart ? [problems.endNotAfterStart] : []),
    ...(endsTooLate ? [problems.endsTooLate] : []),
    ...(playsItself ? [problems.playsItself] : []),
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

/**
 * Returns the end if only the start changes: unchanged if it is after the new start, otherwise moved by the same
 * amount.
 */
function shiftEnd(startDate: Date, stored: Pick<Schedule, 'startDate' | 'endDate'>): Date {
  const [oldStart, oldEnd] = [stored.startDate.getTime(), stored.endDate.getTime()];
  return new Date(oldEnd > startDate.getTime() ? oldEnd : oldEnd + startDate.getTime() - oldStart);
}

/** Returns the end: as sent, or `duration` minutes after the start. */
export function computeEnd({
  startDate,
  endDate,
  duration,
}: Pick<CreateSchedule, 'startDate' | 'endDate' | 'duration'>): Date {
  return endDate ?? new Date(startDate.getTime() + duration * 60_000);
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
