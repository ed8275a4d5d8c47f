import type request from 'supertest';
import type { Response } from 'supertest';
import { createOrganization, type Stored, type TestOrganization } from './organization.js';
import { readIds } from './paging.js';
import type { RunningServer } from './server.js';

type Body = Record<string, unknown>;

/** An organization with a season and a team. */
export interface TeamFixture {
  organization: TestOrganization;
  season: string;
  team: string;
}

/** A route that creates records: path, collection, a valid body, and a change that keeps it valid. */
export interface CreateRoute {
  collection: 'players' | 'teams' | 'schedules' | 'seasons';
  path: (place: TeamFixture) => string;
  body: (place: TeamFixture) => Body;
  changes: Body;
}

export const playerRoute: CreateRoute = {
  collection: 'players',
  path: ({ team }) => `/teams/${team}/players`,
  body: () => ({ name: 'Jordan Lee', jerseyNumber: '07', position: ['QB', 'WR'] }),
  changes: { name: 'Sam Fox' },
};

export const teamRoute: CreateRoute = {
  collection: 'teams',
  path: () => '/teams',
  body: ({ season }) => ({ name: 'Bears', season, gender: 'open' }),
  changes: { name: 'Foxes' },
};

export const scheduleRoute: CreateRoute = {
  collection: 'schedules',
  path: () => '/schedules',
  body: ({ team }) => ({ teamId: team, teamTwoName: 'Foxes', startDate: '2027-05-01T10:00:00Z' }),
  changes: { teamTwoName: 'Bears' },
};

const seasonRoute: CreateRoute = {
  collection: 'seasons',
  path: () => '/seasons',
  body: () => ({ name: 'Spring 2027', startDate: '2027-03-01T00:00:00Z', endDate: '2027-06-30T00:00:00Z' }),
  changes: { name: 'Fall 2027' },
};

/** Every route that accepts an idem-key, by name. */
export const createRoutes: [name: string, route: CreateRoute][] = [
  ['POST /teams/{teamId}/players', playerRoute],
  ['POST /teams', teamRoute],
  ['POST /schedules', scheduleRoute],
  ['POST /seasons', seasonRoute],
];

/** Creates an organization with a season and a team. */
export async function createTeamFixture(server: RunningServer): Promise<TeamFixture> {
  const organization = await createOrganization(server);
  const season = (await organization.season())._id;
  return { organization, season, team: (await organization.team({ season }))._id };
}

/** Sends the route's valid body with a key and some changed fields. */
export function sendCreate(route: CreateRoute, place: TeamFixture, key: string, changes: Body = {}): request.Test {
  const call = place.organization.call('post', route.path(place)).set('idem-key', key);
  return call.send({ ...route.body(place), ...changes });
}

/** The IDs that the route's list shows, in order; at most 100. */
export function listIds(route: CreateRoute, place: TeamFixture): Promise<string[]> {
  return readIds(() => place.organization.call('get', `${route.path(place)}?limit=100`));
}

/** Checks that a request created a record; returns it. */
export function expectCreated(response: Response): Stored {
  expect({ status: response.status, text: response.text }).toMatchObject({ status: 201 });
  expect(response.headers).not.toHaveProperty('idempotent-replayed');
  return response.body as Stored;
}

/** Checks that the first response was replayed, byte for byte and marked as such. */
export function expectReplayed(response: Response, first: Response): void {
  expect({ status: response.status, text: response.text }).toEqual({ status: 201, text: first.text });
  expect(response.headers['idempotent-replayed']).toBe('true');
}
