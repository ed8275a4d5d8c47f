import type { Response } from 'supertest';
import { createOrganization, type Stored, type TestOrganization } from '../support/organization.js';
import { eventually } from '../support/processes.js';
import { RunningServer } from '../support/server.js';

jest.setTimeout(60_000);

/** Every request that renames a team. */
const renames: Record<string, (organization: TestOrganization, team: Stored, name: string) => PromiseLike<Response>> = {
  'a PATCH': (organization, { _id }, name) => organization.call('patch', `/teams/${_id}`).send({ name }),
  'an upsert': (organization, { externalId }, name) =>
    organization.call('patch', `/teams/by-external-id/${String(externalId)}`).send({ name }),
  'a bulk upsert': (organization, { externalId }, name) =>
    organization.call('post', '/teams/bulk').send({ rows: [{ externalId, name }] }),
};

describe('the name of a team that two replicas have cached', () => {
  let one: RunningServer;
  let other: RunningServer;

  beforeAll(async () => {
    one = await RunningServer.start();
    other = await RunningServer.start({ MONGODB_URI: one.databaseUri });
  });
  afterAll(async () => {
    await other.end();
    await one.stop();
  });

  it.each(Object.entries(renames))(
    'is changed by %s at once on its replica, and soon on the other',
    async (_, rename) => {
      const organization = await createOrganization(one);
      const team = await organization.team({ name: 'Hawks', externalId: 'erp-1' });
      const titleOn = async (server: RunningServer) =>
        (await organization.over(server).schedule(team._id))['eventTitle'];
      for (const server of [one, other, one, other]) expect(await titleOn(server)).toBe('Hawks vs Foxes');
      for (const name of ['Owls', 'Wolves']) {
        expect((await rename(organization, team, name)).status).toBe(200);
        expect(await titleOn(one)).toBe(`${name} vs Foxes`);
        await eventually(`the other replica uses ${name}`, async () => (await titleOn(other)) === `${name} vs Foxes`);
        expect(await titleOn(other)).toBe(`${name} vs Foxes`);
      }
    },
  );
});
