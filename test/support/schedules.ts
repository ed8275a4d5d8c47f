import type request from 'supertest';
import type { Response } from 'supertest';
import type { Stored, TestOrganization } from './organization.js';

type Body = Record<string, unknown>;

/** The beginning of the schedules that `TestOrganization.schedule` makes, as it is answered. */
export const defaultStart = '2027-05-01T10:00:00.000Z';

/** A moment so many minutes after the usual beginning (or before, if negative), as it is answered. */
export function minutesAfterStart(minutes: number): string {
  return new Date(Date.parse(defaultStart) + minutes * 60_000).toISOString();
}

/** A moment so many seconds from now (or before, if negative). */
export function secondsFromNow(seconds: number): string {
  return new Date(Date.now() + seconds * 1000).toISOString();
}

/** Asks for a schedule with exactly this body; a text is sent as it is, as JSON. */
export function postSchedule(organization: TestOrganization, body: Body | string): request.Test {
  return organization.call('post', '/schedules').set('Content-Type', 'application/json').send(body);
}

/** Asks to change a schedule with exactly this body; a text is sent as it is, as JSON. */
export function patchSchedule(organization: TestOrganization, id: string, body: Body | string): request.Test {
  return organization.call('patch', `/schedules/${id}`).set('Content-Type', 'application/json').send(body);
}

/** Asks to delete a schedule in the name of a team. */
export function deleteSchedule(organization: TestOrganization, id: string, teamId: string): request.Test {
  return organization.call('delete', `/schedules/${id}`).query({ teamId });
}

/** The body of an answer that is a record itself. */
export function bodyOf(response: Response): Stored {
  return response.body as Stored;
}

/** A schedule as `GET /schedules/{scheduleId}` answers it. */
export async function readSchedule(organization: TestOrganization, id: string): Promise<Stored> {
  const response = await organization.call('get', `/schedules/${id}`).expect(200);
  return (response.body as { data: Stored }).data;
}

/** A page of schedules, without the cursor of the next one; the query is sent as it is. */
export async function listSchedules(
  organization: TestOrganization,
  query = '',
): Promise<{ data: Stored[]; total: number }> {
  const response = await organization.call('get', `/schedules${query === '' ? '' : `?${query}`}`).expect(200);
  const { data, total } = response.body as { data: Stored[]; total: number };
  return { data, total };
}

/** The ids of the schedules that a query lists, in their order. */
export async function listScheduleIds(organization: TestOrganization, query = ''): Promise<string[]> {
  const { data } = await listSchedules(organization, query);
  return data.map(({ _id }) => _id);
}

/** The allowed values of the fields that have a closed list, as openapi/public.json gives them. */
export const allowedValues: readonly (readonly [field: string, values: readonly (string | number | boolean)[]])[] = [
  ['eventType', ['game', 'practice']],
  ['duration', [20, 24, 30, 40, 48, 50, 60]],
  ['matchupFormat', ['halves', 'quarters', 'runningClock']],
  ['teamFormat', ['4v4', '5v5', '6v6', '7v7', '8v8', '9v9', '11v11']],
  ['fieldSizeInYard', [30, 40, 45, 50, 60, 64, 70, 80, 100]],
  ['overtimeType', ['limited', 'unlimited']],
  ['isTestGame', [true, false]],
  ['isScrimmage', [true, false]],
  ['enableYardage', [true, false]],
  ['allowZeroYardStart', [true, false]],
];

const noBoolean = ['true', 'false', '', 0, 1, null, [], {}, [true]];
const noText = [5, true, null, [], {}, ['Foxes']];
const noInstant = [null, 0, 1_809_165_600_000, true, [], {}, ['2027-05-01T10:00:00Z']];

/** Values that creation and update alike refuse, by their field: another type, another case, outside the list. */
export const invalidValues: readonly (readonly [field: string, values: readonly unknown[]])[] = [
  ['eventType', ['GAME', 'Practice', 'scrimmage', ' game', '', 1, true, null, [], {}, ['game']]],
  ['duration', ['30', 30.5, 31, 0, -30, 90, true, null, [], {}, [30]]],
  ['matchupFormat', ['Halves', 'running clock', 'thirds', '', 2, null, [], {}, ['halves']]],
  ['teamFormat', ['7V7', '7', '10v10', '3v3', '', 7, null, [], {}, ['7v7']]],
  ['fieldSizeInYard', ['50', 55, 50.5, 0, -50, 120, true, null, [], {}, [50]]],
  ['overtimeType', ['Limited', 'none', '', 0, false, null, [], {}, ['unlimited']]],
  ['overtimeDuration', ['10', 0, 0.99, -1, true, null, [], {}, [10]]],
  ['isTestGame', noBoolean],
  ['isScrimmage', noBoolean],
  ['enableYardage', noBoolean],
  ['allowZeroYardStart', noBoolean],
  ['startDate', noInstant],
  ['endDate', noInstant],
  ['teamTwoName', noText],
  ['teamId', ['', 5, true, null, [], {}, ['6650f1f77bcf86cd79943941']]],
];

/** A table of fields and their values with a row for each value. */
export function toCases<T>(table: readonly (readonly [field: string, values: readonly T[]])[]): [string, T][] {
  return table.flatMap(([field, values]) => values.map((value): [string, T] => [field, value]));
}

/** Every optional field with a value that is not its default, but for the opponent and the kind of event. */
export function nonDefaultFields() {
  return {
    endDate: minutesAfterStart(95),
    duration: 48,
    matchupFormat: 'quarters',
    teamFormat: '5v5',
    isTestGame: true,
    isScrimmage: true,
    enableYardage: true,
    allowZeroYardStart: true,
    fieldSizeInYard: 64,
    overtimeType: 'limited',
    overtimeDuration: 10,
    locationName: 'Riverside Park, field 3',
    placeId: 'ChIJ2eUgeAK6j4ARbn5u_wAGqWA',
    location: { latitude: 37.8, longitude: -122.27 },
    practiceNote: 'Bring cones.',
    tournamentId: 'spring-cup-2027',
  };
}
