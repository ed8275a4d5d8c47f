import { ObjectId } from 'mongodb';
import { createOrganizationAdmin, callWithToken, loginFrom, updateUser } from '../support/admins.js';
import { expectError } from '../support/expectations.js';
import { createOrganization } from '../support/organization.js';
import { RunningServer } from '../support/server.js';

const server = RunningServer.forTests();

const update = (id: string, body: object) => updateUser(server, id, body);
const createAdmin = async () => createOrganizationAdmin(await createOrganization(server));

async function stored(id: string): Promise<Record<string, unknown> | null> {
  return (await server.database()).collection('users').findOne({ _id: new ObjectId(id) });
}

describe('PATCH /users/{userId}', () => {
  it('renames a user, whose tokens stay valid', async () => {
    const admin = await createAdmin();
    const token = await server.login(admin.email, admin.password);
    const response = await update(admin._id, { name: ' Sam Reyes ' });

    expect(response.status).toBe(200);
    const me = await callWithToken(server, token, 'get', '/auth/me').expect(200);
    expect(response.body).toEqual((me.body as { data: object }).data);
    expect(response.body).toMatchObject({ _id: admin._id, name: 'Sam Reyes', email: admin.email, disabled: false });
  });

  it('disables and enables a user, restoring the previous response', async () => {
    const admin = await createAdmin();
    const before = (await update(admin._id, {}).expect(200)).body as object;
    const begun = Date.now();
    const disabled = (await update(admin._id, { disabled: true }).expect(200)).body as { disabledAt: string };

    expect(disabled).toEqual({ ...before, disabled: true, disabledAt: disabled.disabledAt });
    expect(Date.parse(disabled.disabledAt)).toBeGreaterThanOrEqual(begun);
    expect(Date.parse(disabled.disabledAt)).toBeLessThanOrEqual(Date.now());
    expectError(await loginFrom(server, '127.0.0.1', admin.email, admin.password), 40102);

    expect((await update(admin._id, { disabled: false }).expect(200)).body).toEqual(before);
    expect(await stored(admin._id)).not.toHaveProperty('disabledAt');
    await server.login(admin.email, admin.password);
  });

  it('rejects super admins who disable themselves, and changes nothing', async () => {
    const me = (await server.asSuperAdmin('get', '/auth/me')).body as { data: { _id: string; name: string } };
    const rejection = expectError(await update(me.data._id, { name: 'Gone', disabled: true }), 40303);
    expect(rejection.message).toBe('You cannot disable yourself');
    expect((await update(me.data._id.toUpperCase(), { disabled: true })).status).toBe(403);
    expect((await server.asSuperAdmin('get', '/auth/me').expect(200)).body).toEqual(me);
    await update(me.data._id, { disabled: false }).expect(200);
  });
});

describe('a disabled admin', () => {
  it("does not affect the organization's keys", async () => {
    const organization = await createOrganization(server);
    const admin = await createOrganizationAdmin(organization);
    await update(admin._id, { disabled: true }).expect(200);
    await organization.call('get', '/teams').expect(200);
  });
});
