import { randomUUID } from 'node:crypto';
import request from 'supertest';
import { superAdmin } from '../../../support/server.js';

/** The organization that sends the load, with its key, a season and teams. */
export interface Partner {
  readonly organizationId: string;
  readonly apiKey: string;
  readonly seasonId: string;
  readonly teamIds: readonly string[];
}

type Body = Record<string, unknown>;

/** Creates an organization with a key, a season and two teams through the admin API. */
export async function createPartner(url: string): Promise<Partner> {
  const token = text(await post(url, '/auth/login', superAdmin, {}, 200), 'accessToken');
  const asSuperAdmin = { Authorization: `Bearer ${token}` };
  const creator = { name: 'Dana Reyes', email: `${randomUUID()}@example.com`, password: 'correct horse battery' };
  const organization = await post(url, '/organizations', { name: 'Bay Area Flag Football', creator }, asSuperAdmin);
  const organizationId = text(organization, '_id');
  const apiKey = await createPartnerKey(url, organizationId, token);
  const dates = { startDate: '2027-03-01T00:00:00Z', endDate: '2027-06-30T00:00:00Z' };
  const seasonId = text(await post(url, '/seasons', { name: 'Spring', organizationId, ...dates }, asSuperAdmin), '_id');
  const asPartner = { Authorization: `Bearer ${apiKey}` };
  const teamIds: string[] = [];
  for (const name of ['Hawks', 'Foxes'])
    teamIds.push(text(await post(url, '/v1/public-api/teams', { name, season: seasonId }, asPartner), '_id'));
  return { organizationId, apiKey, seasonId, teamIds };
}

/** Creates another key of the organization. */
export async function createPartnerKey(url: string, organizationId: string, superAdminToken?: string): Promise<string> {
  const token = superAdminToken ?? text(await post(url, '/auth/login', superAdmin, {}, 200), 'accessToken');
  const body = { name: 'Registration platform', organizationId };
  return text(await post(url, '/api-keys', body, { Authorization: `Bearer ${token}` }), 'apiKey');
}

async function post(url: string, path: string, body: Body, headers: Record<string, string>, status = 201) {
  const response = await request(url).post(path).set(headers).send(body);
  if (response.status !== status) throw new Error(`POST ${path}: ${response.status} ${response.text}`);
  return response.body as Body;
}

function text(body: Body, field: string): string {
  const value = body[field];
  if (typeof value !== 'string') throw new Error(`${field} is missing`);
  return value;
}
