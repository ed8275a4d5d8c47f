import { ObjectId } from 'mongodb';
import { createOrganization, type Stored, type TestOrganization } from '../support/organization.js';
import { RunningServer } from '../support/server.js';

const server = RunningServer.forTests({ WEBHOOK_WORKER: 'off' });
let own: TestOrganization;
let other: TestOrganization;
/** The endpoints in order of creation, as their organizations read them. */
let created: Stored[];

/** Creates an endpoint. */
async function create(organization: TestOrganization, host = 'erp'): Promise<string> {
  const body = { url: `https://${host}.example.com/webhooks` };
  return ((await organization.call('post', '/webhook-endpoints').send(body).expect(201)).body as Stored)._id;
}

// An empty database, because the list has the endpoints of all organizations.
beforeAll(async () => {
  [own, other] = [await createOrganization(server, 'Own'), await createOrganization(server, 'Other')];
  const [failing, active, disabled] = [await create(own), await create(other), await create(own, 'Mirror')];
  // Only a failed delivery causes this state.
  const endpoints = (await server.database()).collection('webhookEndpoints');
  await endpoints.updateOne({ _id: new ObjectId(failing) }, { $set: { failingSince: new Date() } });
  await own.call('patch', `/webhook-endpoints/${disabled}`).send({ isEnabled: false }).expect(200);
  created = [];
  for (const [organization, _id] of [
    [own, failing],
    [other, active],
    [own, disabled],
  ] as const) {
    const response = await organization.call('get', `/webhook-endpoints/${_id}`).expect(200);
    expect(response.body).toMatchObject({ data: { organizationId: organization.id } });
    const organizationName = organization === own ? 'Own' : 'Other';
    created.push({ ...(response.body as { data: Stored }).data, organizationName });
  }
});

const list = (query: object = {}) => server.asSuperAdmin('get', '/webhook-endpoints').query(query);

describe('GET /webhook-endpoints of the admin API', () => {
  it('lists the endpoints of all organizations by creation, with their organization and without secrets', async () => {
    const response = await list().expect(200);
    expect(response.body).toEqual({ data: created, total: 3 });
    expect(response.text).not.toMatch(/whsec_|secret/i);
  });

  it.each([
    ['failing', 0],
    ['active', 1],
    ['disabled', 2],
  ])('filters by status=%s', async (status, index) => {
    expect(created[index]).toMatchObject({ status });
    expect((await list({ status })).body).toEqual({ data: [created[index]], total: 1 });
  });

  it.each([
    ['organization', [2]],
    ['gone', []],
    ['gone,organization', [2]],
  ])('filters by disabledReason=%s', async (disabledReason, indexes) => {
    const data = indexes.map((index) => created[index]);
    expect((await list({ disabledReason })).body).toEqual({ data, total: data.length });
    expect((await list({ disabledReason, status: 'active' })).body).toEqual({ data: [], total: 0 });
  });

  it('filters by organization, and by a part of the URL', async () => {
    expect((await list({ organizationId: other.id })).body).toEqual({ data: [created[1]], total: 1 });
    expect((await list({ search: 'MIRROR.' })).body).toEqual({ data: [created[2]], total: 1 });
  });
});
