import type { FieldProblem } from '../../common/errors/service-error.js';
import { maximumInstant } from '../../common/validation/instant.js';
import type { CreateSchedule, UpdateSchedule } from './schedule.dto.js';
import type { Schedule } from './schedule.schema.js';

/** The rules between the fields of one request. They need no record, so they are asked before any is read. */

const problems = {
  endNotAfterStart: { field: 'endDate', message: 'endDate must be after startDate' },
  overtimeDurationMissing: {
    field: 'overtimeDuration',
    message: 'overtimeDuration is required with overtimeType limited',
  },
  endsTooLate: { field: 'startDate', message: 'startDate must be so early that the end lies in the years up to 2199' },
  fieldSizeMissing: { field: 'fieldSizeInYard', message: 'fieldSizeInYard is required with enableYardage true' },
  playsItself: {
    field: 'teamTwoId',
    message: 'teamTwoId must be another team than teamId, except for a practice or a scrimmage',
  },
} as const satisfies Record<string, FieldProblem>;

/** What is wrong between the fields of a create request. */
export function problemsOfCreate(input: CreateSchedule): FieldProblem[] {
  const playsItself = input.teamTwoId?.toLowerCase() === input.teamId.toLowerCase();
  return [
    ...problemsOfAny(input),
    ...(endOf(input) >= maximumInstant ? [problems.endsTooLate] : []),
    ...(playsItself && input.eventType === 'game' && !input.isScrimmage ? [problems.playsItself] : []),
  ];
}

/** What is wrong between the fields of an update request. */
export function problemsOfUpdate(changes: UpdateSchedule): FieldProblem[] {
  const needsSize = changes.enableYardage === true && changes.fieldSizeInYard === undefined;
  return [...problemsOfAny(changes), ...(needsSize ? [problems.fieldSizeMissing] : [])];
}

/**
 * Why a change cannot be made to what is stored: the update itself holds the conditions, this says which one failed.
 */
export function problemsWithStored(changes: Omit<UpdateSchedule, 'teamId'>, stored: Schedule): FieldProblem[] {
  const { startDate, endDate } = changes;
  const endsTooSoon = startDate === undefined && endDate !== undefined && endDate <= stored.startDate;
  const eventType = changes.eventType ?? stored.eventType;
  const isScrimmage = changes.isScrimmage ?? stored.isScrimmage;
  const playsItself = stored.teamTwoId?.equals(stored.teamOneId) === true && eventType === 'game' && !isScrimmage;
  const endsTooLate = startDate !== undefined && endDate === undefined && movedEnd(startDate, stored) >= maximumInstant;
  return [
    ...(endsTooSoon ? [problems.endNotAfterStart] : []),
    ...(endsTooLate ? [problems.endsTooLate] : []),
    ...(playsItself ? [problems.playsItself] : []),
  ];
}

type AnyRequest = Pick<UpdateSchedule, 'startDate' | 'endDate' | 'overtimeType' | 'overtimeDuration'>;

function problemsOfAny({ startDate, endDate, overtimeType, overtimeDuration }: AnyRequest): FieldProblem[] {
  const endsTooSoon = startDate !== undefined && endDate !== undefined && endDate <= startDate;
  const needsDuration = overtimeType === 'limited' && overtimeDuration === undefined;
  return [
    ...(endsTooSoon ? [problems.endNotAfterStart] : []),
    ...(needsDuration ? [problems.overtimeDurationMissing] : []),
  ];
}

/** Where a stored end goes when the beginning is moved alone: it stays while it lies after it, else it moves along. */
function movedEnd(startDate: Date, stored: Pick<Schedule, 'startDate' | 'endDate'>): Date {
  const [oldStart, oldEnd] = [stored.startDate.getTime(), stored.endDate.getTime()];
  return new Date(oldEnd > startDate.getTime() ? oldEnd : oldEnd + startDate.getTime() - oldStart);
}

/** When a schedule ends: as sent, or its duration in minutes after its beginning. */
export function endOf({
  startDate,
  endDate,
  duration,
}: Pick<CreateSchedule, 'startDate' | 'endDate' | 'duration'>): Date {
  return endDate ?? new Date(startDate.getTime() + duration * 60_000);
}

/** The field's size: as sent, or 50 yards where yards are counted, else unset. */
export function fieldSizeOf({
  fieldSizeInYard,
  enableYardage,
}: Pick<CreateSchedule, 'fieldSizeInYard' | 'enableYardage'>): number | undefined {
  return fieldSizeInYard ?? (enableYardage ? 50 : undefined);
}

/** The title that a new schedule gets: `Hawks vs Foxes` or `Hawks practice`. */
export function titleOf(eventType: CreateSchedule['eventType'], teamName: string, opponentName: string): string {
  return eventType === 'practice' ? `${teamName} practice` : `${teamName} vs ${opponentName}`;
}
