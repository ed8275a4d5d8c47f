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
