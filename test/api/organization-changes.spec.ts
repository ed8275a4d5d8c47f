import { randomUUID } from 'node:crypto';
import { ObjectId } from 'mongodb';
import { updateOrganization } from '../support/admins.js';
import { createOrganization } from '../support/organization.js';
import { RunningServer } from '../support/server.js';

const server = RunningServer.forTests();

const update = (id: string, body: object) => updateOrganization(server, id, body);

/** The stored organization. */
async function stored(id: string): Promise<Record<string, unknown> | null> {
  return (await server.database()).collection('organizations').findOne({ _id: new ObjectId(id) });
}

/** The organization as listed; the list starts with the oldest one. */
async function listed(id: string): Promise<unknown> {
  const { total } = (await server.asSuperAdmin('get', '/organizations?limit=1')).body as { total: number };
  for (let page = Math.ceil(total / 100); page > 0; page--) {
    const response = await server.asSuperAdmin('get', `/organizations?limit=100&page=${page}`).expect(200);
    const found = (response.body as { data: { _id: string }[] }).data.find(({ _id }) => _id === id);
    if (found !== undefined) return found;
  }
  return undefined;
}

describe('PATCH /organizations/{organizationId}', () => {
  it('renames an organization, also in the list', async () => {
    const { id, creator } = await createOrganization(server);
    const response = await update(id, { name: '  Hawks Club ' });

    expect(response.status).toBe(200);
    expect(response.body).toEqual({
      _id: id,
      name: 'Hawks Club',
      isSandbox: false,
      revision: expect.any(Number) as number,
      creator: { _id: creator._id, name: creator.name, email: creator.email },
      disabled: false,
      createdAt: expect.stringMatching(/\.\d{3}Z$/) as string,
    });
    expect(await listed(id)).toEqual(response.body);
  });

  it('disables an organization now, and enabling it restores the previous response', async () => {
    const { id } = await createOrganization(server);
    const before = { ...((await listed(id)) as object), revision: expect.any(Number) as number };
    const begun = Date.now();
    const disabled = (await update(id, { disabled: true }).expect(200)).body as { disabledAt: string };

    expect(disabled).toEqual({ ...before, disabled: true, disabledAt: disabled.disabledAt });
    expect(disabled.disabledAt).toBe(new Date(disabled.disabledAt).toISOString());
    expect(Date.parse(disabled.disabledAt)).toBeGreaterThanOrEqual(begun);
    expect(Date.parse(disabled.disabledAt)).toBeLessThanOrEqual(Date.now());
    expect(await listed(id)).toEqual(disabled);

    expect((await update(id, { disabled: false }).expect(200)).body).toEqual(before);
    expect(await listed(id)).toEqual(before);
    expect(await stored(id)).not.toHaveProperty('disabledAt');
  });

  it('keeps the first disabledAt if it is disabled again', async () => {
    const { id } = await createOrganization(server);
    const first = (await update(id, { disabled: true }).expect(200)).body as object;
    const before = await stored(id);
    expect((await update(id, { disabled: true }).expect(200)).body).toEqual(first);
    expect(await stored(id)).toEqual(before);
  });

  it.each([{}, { name: 'Bay Area Flag Football' }, { disabled: false }])(
    'returns the unchanged organization for %j',
    async (body) => {
      const { id } = await createOrganization(server, 'Bay Area Flag Football');
      const [before, listedBefore] = [await stored(id), await listed(id)];
      const response = await update(id, body);
      expect({ status: response.status, body: response.body as unknown }).toEqual({ status: 200, body: listedBefore });
      expect(await stored(id)).toEqual(before);
    },
  );

  it('applies two concurrent changes of different fields', async () => {
    for (let round = 0; round < 5; round++) {
      const { id } = await createOrganization(server);
      const name = `Renamed ${randomUUID()}`;
      await Promise.all([update(id, { name }).expect(200), update(id, { disabled: true }).expect(200)]);
      expect(await listed(id)).toMatchObject({ name, disabled: true });
    }
  });
});
