import { createOrganization } from '../../../support/organization.js';
import { RunningServer } from '../../../support/server.js';

/** The organization that sends the load, with its key, a season and teams. */
export interface Partner {
  readonly organizationId: string;
  readonly apiKey: string;
  readonly seasonId: string;
  readonly teamIds: readonly string[];
}

/** Creates an organization with a key, a season and two teams through the admin API. */
export async function createPartner(url: string): Promise<Partner> {
  const organization = await createOrganization(await RunningServer.at(url, ''));
  const season = (await organization.season())._id;
  const [hawks, foxes] = [await organization.team({ season }), await organization.team({ season, name: 'Foxes' })];
  const { id: organizationId, key } = organization;
  return { organizationId, apiKey: key.apiKey, seasonId: season, teamIds: [hawks._id, foxes._id] };
}
