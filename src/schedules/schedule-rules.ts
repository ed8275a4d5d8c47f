import type { FieldProblem } from '../common/errors/service-error.js';
import type { CreateSchedule } from './dto/create-schedule.request.js';
import type { UpdateSchedule } from './dto/schedule.requests.js';
import type { ScheduleResponse } from './schedule.response.js';
import { usualFieldSize } from './schedule-values.js';

/** The rules between the fields of one request. They need no record, so they are asked before any is read. */

const problems = {
  endNotAfterStart: { field: 'endDate', message: 'endDate must be after startDate' },
  overtimeDurationMissing: {
    field: 'overtimeDuration',
    message: 'overtimeDuration is required with overtimeType limited',
  },
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
export function problemsWithStored(changes: Omit<UpdateSchedule, 'teamId'>, stored: ScheduleResponse): FieldProblem[] {
  const { startDate, endDate } = changes;
  const endsTooSoon = startDate === undefined && endDate !== undefined && endDate <= new Date(stored.startDate);
  const eventType = changes.eventType ?? stored.eventType;
  const isScrimmage = changes.isScrimmage ?? stored.isScrimmage;
  const playsItself = stored.teamTwoId === stored.teamId && eventType === 'game' && !isScrimmage;
  return [...(endsTooSoon ? [problems.endNotAfterStart] : []), ...(playsItself ? [problems.playsItself] : [])];
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

/** When a schedule ends: as sent, or its duration in minutes after its beginning. */
export function endOf({
  startDate,
  endDate,
  duration,
}: Pick<CreateSchedule, 'startDate' | 'endDate' | 'duration'>): Date {
  return endDate ?? new Date(startDate.getTime() + duration * 60_000);
}

/** The field's size: as sent, or the usual one where yards are counted, else unset. */
export function fieldSizeOf({
  fieldSizeInYard,
  enableYardage,
}: Pick<CreateSchedule, 'fieldSizeInYard' | 'enableYardage'>): number | undefined {
  return fieldSizeInYard ?? (enableYardage ? usualFieldSize : undefined);
}

/** The title that a new schedule gets: `Hawks vs Foxes` or `Hawks practice`. */
export function titleOf(eventType: CreateSchedule['eventType'], teamName: string, opponentName: string): string {
  return eventType === 'practice' ? `${teamName} practice` : `${teamName} vs ${opponentName}`;
}
