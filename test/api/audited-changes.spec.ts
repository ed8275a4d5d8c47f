import { randomUUID } from 'node:crypto';
import { ObjectId } from 'mongodb';
import {
  callWithToken,
  changePasswordFrom,
  createOrganizationAdmin,
  loginBothRoles,
  updateOrganization,
  updateUser,
} from '../support/admins.js';
import { eventsOfRequest, withRequestId } from '../support/audit.js';
import { expectError } from '../support/expectations.js';
import { createGame, qbRow, type TestGame } from '../support/game.js';
import { unknownId } from '../support/http-routes.js';
import { createOrganization } from '../support/organization.js';
import { RunningServer, superAdmin } from '../support/server.js';
import { changesOf, type StoredEvent } from '../support/stored-events.js';

const server = RunningServer.forTests({});
let game: TestGame;
let root: { _id: string };

beforeAll(async () => {
  game = await createGame(server);
  root = ((await server.asSuperAdmin('get', '/auth/me').expect(200)).body as { data: { _id: string } }).data;
});
const id = (text: string) => new ObjectId(text);
const rootActor = () => ({ kind: 'user', _id: id(root._id), email: superAdmin.email, role: 'superAdmin' });
const dates = { startDate: '2027-03-01T00:00:00.000Z', endDate: '2027-06-30T00:00:00.000Z' };
const postSeason = (fields: object = {}) =>
  server.asSuperAdmin('post', '/seasons').send({ name: 'Spring 2027', ...dates, ...fields });
const stored = async (collection: string, filter: object) =>
  (await server.database()).collection(collection).find(filter).toArray();

/** Returns the fields of an event except its ID, time and request, which it checks. */
function fieldsOf(event: StoredEvent | undefined): object {
  const { _id, at, requestId, ...fields } = event ?? { action: 'none' };
  expect([_id, at, requestId]).toEqual([expect.any(ObjectId), expect.any(Date), expect.any(String)]);
  return fields;
}

/** The events of a record after its creation, by the super admin. */
async function expectUpdates(
  of: string,
  organizationId: string,
  expected: (Record<string, unknown> & { name?: string })[],
): Promise<void> {
  const events = (await changesOf(server, of)).filter(({ action }) => !action.startsWith('create'));
  const common = { outcome: 'success', address: '127.0.0.1', actor: rootActor(), organizationId: id(organizationId) };
  const kind = of === organizationId ? 'organization' : 'user';
  expect(events.map(fieldsOf)).toEqual(
    expected.map(({ name, ...fields }) => ({ ...common, target: { kind, _id: id(of), name }, ...fields })),
  );
}

/** Makes the database reject every event of an action while `work` runs. */
async function withoutEventsOf(action: string, work: () => Promise<unknown>): Promise<void> {
  const database = await server.database();
  await database.command({ collMod: 'auditEvents', validator: { action: { $ne: action } } });
  try {
    await work();
  } finally {
    await database.command({ collMod: 'auditEvents', validator: {} });
  }
}

describe('the audit of organizations and users', () => {
  it('records each creation with the creator or admin', async () => {
    const organization = await createOrganization(server, 'Hawks Club');
    const { _id, name, email } = await createOrganizationAdmin(organization);
    const common = {
      outcome: 'success',
      address: '127.0.0.1',
      actor: rootActor(),
      organizationId: id(organization.id),
    };
    expect((await changesOf(server, organization.id)).map(fieldsOf)).toEqual([
      {
        ...common,
        action: 'createOrganization',
        target: { kind: 'organization', _id: id(organization.id), name: 'Hawks Club' },
        changes: { name: 'Hawks Club', creatorId: organization.creator._id },
      },
    ]);
    expect((await changesOf(server, _id)).map(fieldsOf)).toEqual([
      {
        ...common,
        action: 'createOrganizationAdmin',
        target: { kind: 'user', _id: id(_id), name: email },
        changes: { name, email },
      },
    ]);
  });

  it('records the old and new values of only the changed fields, with the name before, and no update without a change', async () => {
    const { id: organizationId, creator } = await createOrganization(server, 'Before');
    for (const body of [{}, { name: 'After' }, { name: 'After', disabled: true }, { disabled: false }]) {
      await updateOrganization(server, organizationId, body).expect(200);
      await updateUser(server, creator._id, body).expect(200);
    }
    const updates = (action: string, before: string, names: readonly string[]) =>
      [
        { changes: { name: 'After' }, previous: { name: before } },
        { changes: { disabled: true }, previous: { disabled: false } },
        { changes: { disabled: false }, previous: { disabled: true } },
      ].map((values, index) => ({ action, name: names[index] ?? '', ...values }));
    const names = ['Before', 'After', 'After'];
    await expectUpdates(organizationId, organizationId, updates('updateOrganization', 'Before', names));
    const emails = [creator.email, creator.email, creator.email];
    await expectUpdates(creator._id, organizationId, updates('updateUser', creator.name, emails));
  });

  it('records a password change by the user, without the password', async () => {
    const organization = await createOrganization(server);
    const { _id, email, password } = await createOrganizationAdmin(organization);
    const body = { currentPassword: password, newPassword: `new ${randomUUID()}` };
    await changePasswordFrom(server, '127.0.5.1', await server.login(email, password), body).expect(200);
    const actor = { kind: 'user', _id: id(_id), email, role: 'organizationAdmin' };
    await expectUpdates(_id, organization.id, [{ action: 'changePassword', name: email, actor, address: '127.0.5.1' }]);
  });

  it('records the creation of the first super admin by the server', async () => {
    const [event] = await changesOf(server, root._id);
    expect(event).toEqual({
      _id: expect.any(ObjectId) as ObjectId,
      at: expect.any(Date) as Date,
      outcome: 'success',
      action: 'createSuperAdmin',
      actor: { kind: 'server' },
      target: { kind: 'user', _id: id(root._id), name: superAdmin.email },
      changes: { name: 'Super admin', email: superAdmin.email },
    });
  });
});

describe('the audit of a new season', () => {
  it('is rolled back if its event cannot be written', async () => {
    const before = await stored('seasons', {});
    await withoutEventsOf('createSeason', async () => expectError(await postSeason(), 50000));
    expect(await stored('seasons', {})).toEqual(before);
  });
});

describe('the audit of statistics', () => {
  it('records author, game, organization and number of rows, and stores the author, whom no response names', async () => {
    const { organization, schedule, homePlayer, awayPlayer } = game;
    const { creator } = await loginBothRoles(organization);
    await game.write([qbRow(homePlayer, 1)]);
    const rows = [qbRow(homePlayer), qbRow(awayPlayer)];
    const put = withRequestId(callWithToken(server, creator, 'put', game.adminPath).send({ rows }));
    for (const { status, text } of [await put.call, await game.get()])
      expect([status, text.includes('createdBy')]).toEqual([200, false]);
    expect(await eventsOfRequest(server, put.id)).toMatchObject([
      {
        action: 'replacePlayerStatistics',
        outcome: 'success',
        actor: { kind: 'user', _id: organization.creator._id, role: 'organizationCreator' },
        organizationId: organization.id,
        target: { kind: 'schedule', _id: schedule._id },
        changes: { rows: 2 },
      },
    ]);
    const authors = await stored('playerStatistics', { scheduleId: id(schedule._id) });
    expect(authors.map((row) => String(row['createdBy']))).toEqual(rows.map(() => organization.creator._id));
  });

  it('is rolled back if its event cannot be written, and records no rejected rows', async () => {
    const before = await game.write([qbRow(game.homePlayer, 3)]);
    await withoutEventsOf('replacePlayerStatistics', async () => expectError(await game.put([]), 50000));
    const rejected = withRequestId(game.put([qbRow(game.homePlayer), { wrong: true }]));
    expectError(await rejected.call, 40001);
    expect(await eventsOfRequest(server, rejected.id)).toEqual([]);
    expect(await game.read()).toEqual(before);
  });

  it('without permission gives the same error for invalid rows as for valid ones', async () => {
    const outsider = await loginBothRoles(await createOrganization(server));
    const wrong = { rows: [{ wrong: true }] };
    for (const token of Object.values(outsider))
      expectError(await callWithToken(server, token, 'put', game.adminPath).send(wrong), 40303);
    const unknown = `/schedules/${unknownId}/player-statistics`;
    expectError(await callWithToken(server, outsider.creator, 'put', unknown).send(wrong), 40402);
    expectError(await server.asSuperAdmin('put', unknown).send(wrong), 40402);
  });
});
