import { createOrganizationAdmin, updateUser } from '../support/admins.js';
import { expectFieldError, expectError } from '../support/expectations.js';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { RunningServer } from '../support/server.js';

interface Page {
  data: { _id: string; role: string }[];
  total: number;
}

let server: RunningServer;

beforeAll(async () => {
  server = await RunningServer.shared();
});

afterAll(() => server.stop());

const list = (id: string, query: object = {}) => server.asSuperAdmin('get', `/organizations/${id}/users`).query(query);

async function createWithAdmins(count: number): Promise<{ organization: TestOrganization; ids: string[] }> {
  const organization = await createOrganization(server);
  const ids = [organization.creator._id];
  for (let created = 0; created < count; created++) ids.push((await createOrganizationAdmin(organization))._id);
  return { organization, ids };
}

describe('GET /organizations/{organizationId}/users', () => {
  it('lists only the users of this organization by creation, as other routes return them', async () => {
    const { organization, ids } = await createWithAdmins(2);
    await createWithAdmins(1);
    const response = await list(organization.id);

    expect(response.status).toBe(200);
    const { data, total } = response.body as Page;
    expect(data.map(({ _id }) => _id)).toEqual(ids);
    expect(data.map(({ role }) => role)).toEqual(['organizationCreator', 'organizationAdmin', 'organizationAdmin']);
    expect(total).toBe(3);
    expect(data[1]).toEqual((await updateUser(server, ids[1] ?? '', {}).expect(200)).body);
    expect(response.text).not.toMatch(/passw|argon2|generation/i);
  });

  it('lists disabled users as disabled', async () => {
    const { organization, ids } = await createWithAdmins(1);
    const disabled = (await updateUser(server, ids[1] ?? '', { disabled: true }).expect(200)).body as object;
    expect(((await list(organization.id).expect(200)).body as Page).data[1]).toEqual(disabled);
  });

  it('returns pages with the exact total, and empty ones past the end', async () => {
    const { organization, ids } = await createWithAdmins(4);
    const pages: Page[] = [];
    for (let page = 1; page <= 4; page++) {
      pages.push((await list(organization.id, { page, limit: 2 }).expect(200)).body as Page);
    }
    expect(pages.map(({ data }) => data.map(({ _id }) => _id))).toEqual([
      ids.slice(0, 2),
      ids.slice(2, 4),
      ids.slice(4),
      [],
    ]);
    expect(pages.map(({ total }) => total)).toEqual([5, 5, 5, 5]);
  });

  it('returns 40406 for an unknown organization and 40001 for invalid parameters', async () => {
    expectError(await list('f'.repeat(24)), 40406);
    expectFieldError(await list('bay-area'), 'organizationId');
    const { id } = await createOrganization(server);
    expectFieldError(await list(id, { limit: 101 }), 'limit');
    expectFieldError(await list(id, { page: 0 }), 'page');
    expectFieldError(await list(id, { role: 'superAdmin' }), 'role');
  });
});
