import { randomUUID } from 'node:crypto';
import { ObjectId } from 'mongodb';
import {
  createOrganizationAdmin,
  callWithToken,
  changePasswordFrom,
  updateOrganization,
  updateUser,
} from '../support/admins.js';
import { expectError } from '../support/expectations.js';
import { createOrganization } from '../support/organization.js';
import { RunningServer, superAdmin } from '../support/server.js';
import { changesOf, type StoredEvent } from '../support/stored-events.js';

let server: RunningServer;
let root: { _id: string };

beforeAll(async () => {
  server = await RunningServer.shared();
  root = ((await server.asSuperAdmin('get', '/auth/me').expect(200)).body as { data: { _id: string } }).data;
});

afterAll(() => server.stop());

const id = (text: string) => new ObjectId(text);
const rootActor = () => ({ kind: 'user', _id: id(root._id), email: superAdmin.email, role: 'superAdmin' });

/** The fields of an event except its ID; checks its time and request. */
function fieldsOf(event: StoredEvent | undefined, traceId?: string): object {
  const { _id, at, requestId, ...fields } = event ?? { action: 'none' };
  expect(_id).toBeInstanceOf(ObjectId);
  expect(Math.abs(Date.now() - (at as Date).getTime())).toBeLessThan(60_000);
  expect(requestId).toEqual(traceId ?? expect.any(String));
  return fields;
}

const done = { outcome: 'done', address: '127.0.0.1' };

describe('the audit', () => {
  it('records the creation of an organization with its creator', async () => {
    const organization = await createOrganization(server, 'Hawks Club');
    const [event, ...more] = await changesOf(server, organization.id);
    expect(more).toEqual([]);
    expect(fieldsOf(event)).toEqual({
      ...done,
      action: 'createOrganization',
      actor: rootActor(),
      organizationId: id(organization.id),
      target: { kind: 'organization', _id: id(organization.id) },
      changes: { name: 'Hawks Club', creatorId: organization.creator._id },
    });
  });

  it('records the creation of an admin', async () => {
    const organization = await createOrganization(server);
    const admin = await createOrganizationAdmin(organization);
    const [event, ...more] = await changesOf(server, admin._id);
    expect(more).toEqual([]);
    expect(fieldsOf(event)).toEqual({
      ...done,
      action: 'createOrganizationAdmin',
      actor: rootActor(),
      organizationId: id(organization.id),
      target: { kind: 'user', _id: id(admin._id) },
      changes: { name: admin.name, email: admin.email },
    });
  });

  it('records an update of an organization with only the changed fields and the request', async () => {
    const organization = await createOrganization(server, 'Before');
    const responses = [];
    for (const body of [{ name: 'After' }, { name: 'After', disabled: true }, { disabled: false }]) {
      responses.push(await updateOrganization(server, organization.id, body).expect(200));
    }
    const events = (await changesOf(server, organization.id)).slice(1);
    const traceIds = responses.map(({ headers }) => String(headers['x-request-id']));
    expect(events.map((event, index) => fieldsOf(event, traceIds[index]))).toEqual(
      [{ name: 'After' }, { disabled: true }, { disabled: false }].map((changes) => ({
        ...done,
        action: 'updateOrganization',
        actor: rootActor(),
        organizationId: id(organization.id),
        target: { kind: 'organization', _id: id(organization.id) },
        changes,
      })),
    );
  });

  it('records an update of a user with only the changed fields', async () => {
    const organization = await createOrganization(server);
    const admin = await createOrganizationAdmin(organization);
    await updateUser(server, admin._id, { name: 'Sam Reyes', disabled: true }).expect(200);
    const events = (await changesOf(server, admin._id)).slice(1);
    expect(events.map((event) => fieldsOf(event))).toEqual([
      {
        ...done,
        action: 'updateUser',
        actor: rootActor(),
        organizationId: id(organization.id),
        target: { kind: 'user', _id: id(admin._id) },
        changes: { name: 'Sam Reyes', disabled: true },
      },
    ]);
  });

  it('records a password change by the user, without the password', async () => {
    const organization = await createOrganization(server);
    const admin = await createOrganizationAdmin(organization);
    const token = await server.login(admin.email, admin.password);
    const body = { currentPassword: admin.password, newPassword: `new ${randomUUID()}` };
    await changePasswordFrom(server, '127.0.5.1', token, body).expect(200);
    const [event, ...more] = (await changesOf(server, admin._id)).slice(1);
    expect(more).toEqual([]);
    expect(fieldsOf(event)).toEqual({
      outcome: 'done',
      address: '127.0.5.1',
      action: 'changePassword',
      actor: { kind: 'user', _id: id(admin._id), email: admin.email, role: 'organizationAdmin' },
      organizationId: id(organization.id),
      target: { kind: 'user', _id: id(admin._id) },
    });
  });

  it('records the creation of the first super admin by the server', async () => {
    const [event] = await changesOf(server, root._id);
    const { _id, at, ...fields } = event ?? { action: 'none' };
    expect([_id, at]).toEqual([expect.any(ObjectId), expect.any(Date)]);
    expect(fields).toEqual({
      outcome: 'done',
      action: 'createSuperAdmin',
      actor: { kind: 'server' },
      target: { kind: 'user', _id: id(root._id) },
      changes: { name: 'Super admin', email: superAdmin.email },
    });
  });
});

describe('the audit does not record', () => {
  it.each([{}, { name: 'Same' }, { disabled: false }, { name: 'Same', disabled: false }])(
    '%j if the organization or user already has these values',
    async (body) => {
      const { id: organizationId, creator } = await createOrganization(server, 'Same');
      await updateUser(server, creator._id, { name: 'Same' }).expect(200);
      await updateOrganization(server, organizationId, body).expect(200);
      await updateUser(server, creator._id, body).expect(200);
      expect(await changesOf(server, organizationId)).toHaveLength(1);
      expect(await changesOf(server, creator._id)).toHaveLength(1);
    },
  );

  it('a rejected change, such as an email that is taken', async () => {
    const { id: organizationId, creator } = await createOrganization(server);
    const events = (await server.database()).collection('auditEvents');
    const of = { organizationId: id(organizationId), action: /User|Admin$/ };
    expect(await events.countDocuments({ ...of, outcome: 'done' })).toBe(0);
    const user = { name: 'Sam', email: creator.email, password: 'correct horse battery' };
    const create = server.asSuperAdmin('post', `/organizations/${organizationId}/users`);
    expectError(await create.send(user), 40901);
    const self = callWithToken(
      server,
      await server.login(creator.email, creator.password),
      'patch',
      `/users/${root._id}`,
    );
    expectError(await self.send({ disabled: true }), 40303);
    expect(await events.countDocuments({ ...of, outcome: 'done' })).toBe(0);
  });
});
