import type request from 'supertest';
import type { Response } from 'supertest';
import type { Stored, TestOrganization } from './organization.js';

type Body = Record<string, unknown>;

/** The start of the schedules of `TestOrganization.schedule`, as in responses. */
export const defaultStart = '2027-05-01T10:00:00.000Z';

/** The time this many minutes after (or before, if negative) the default start, as in responses. */
export function minutesAfterStart(minutes: number): string {
  return new Date(Date.parse(defaultStart) + minutes * 60_000).toISOString();
}

/** The time this many seconds from now (or before, if negative). */
export function secondsFromNow(seconds: number): string {
  return new Date(Date.now() + seconds * 1000).toISOString();
}

/** Creates a schedule with exactly this body; a string is sent as raw JSON. */
export function postSchedule(organization: TestOrganization, body: Body | string): request.Test {
  return organization.call('post', '/schedules').set('Content-Type', 'application/json').send(body);
}

/** Updates a schedule with exactly this body; a string is sent as raw JSON. */
export function patchSchedule(organization: TestOrganization, id: string, body: Body | string): request.Test {
  return organization.call('patch', `/schedules/${id}`).set('Content-Type', 'application/json').send(body);
}

/** Deletes a schedule of a team. */
export function deleteSchedule(organization: TestOrganization, id: string, teamId: string): request.Test {
  return organization.call('delete', `/schedules/${id}`).query({ teamId });
}

/** The body of a response that is an unwrapped record. */
export function bodyOf(response: Response): Stored {
  return response.body as Stored;
}

/** Reads a schedule with `GET /schedules/{scheduleId}`. */
export async function readSchedule(organization: TestOrganization, id: string): Promise<Stored> {
  const response = await organization.call('get', `/schedules/${id}`).expect(200);
  return (response.body as { data: Stored }).data;
}

/** Reads a page of schedules without its cursor; the query is sent unchanged. */
export async function listSchedules(
  organization: TestOrganization,
  query = '',
): Promise<{ data: Stored[]; total: number }> {
  const response = await organization.call('get', `/schedules${query === '' ? '' : `?${query}`}`).expect(200);
  const { data, total } = response.body as { data: Stored[]; total: number };
  return { data, total };
}

/** The IDs of the schedules that a query lists, in order. */
export async function listScheduleIds(organization: TestOrganization, query = ''): Promise<string[]> {
  const { data } = await listSchedules(organization, query);
  return data.map(({ _id }) => _id);
}

/** The allowed values of fields with an enum, as in openapi/public.json. */
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

/** Values that creation and update reject, by field: another type, another case, or not in the enum. */
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

/** Turns a table of fields and values into one row for each value. */
export function toCases<T>(table: readonly (readonly [field: string, values: readonly T[]])[]): [string, T][] {
  return table.flatMap(([field, values]) => values.map((value): [string, T] => [field, value]));
}

/** Every optional field except opponent and event type, with a value other than its default. */
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
