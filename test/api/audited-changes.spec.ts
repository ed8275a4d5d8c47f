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
import {
  eventsOfRequest,
  withRequestId,
  buildAuditEvent,
  auditPage,
  auditPages,
  storeEvents,
} from '../support/audit.js';
import { endGracePeriod, isKeyAccepted, requestRotation, revokeKey, rotateKey } from '../support/api-keys.js';
import { expectError, expectFieldError } from '../support/expectations.js';
import { createGame, qbRow, type TestGame } from '../support/game.js';
import { unknownId } from '../support/http-routes.js';
import { createKey, createOrganization, TestOrganization } from '../support/organization.js';
import { RunningServer, superAdmin } from '../support/server.js';
import { changesOf, type StoredEvent } from '../support/stored-events.js';
import { type AuditEventRecord } from '../../src/modules/audit/audit-event.schema.js';

const server = RunningServer.forTests();

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

/** Makes the database reject every event of an organization while `work` runs. */
async function withoutEventsOf(organizationId: string, work: () => Promise<unknown>): Promise<void> {
  const database = await server.database();
  await database.command({ collMod: 'auditEvents', validator: { organizationId: { $ne: id(organizationId) } } });
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
    const organizationId = game.organization.id;
    const ofOrganization = () => stored('seasons', { organizationId: id(organizationId) });
    const before = await ofOrganization();
    await withoutEventsOf(organizationId, async () => expectError(await postSeason({ organizationId }), 50000));
    expect(await ofOrganization()).toEqual(before);
  });
});

describe('the audit of statistics', () => {
  it('records author, game, organization and number of rows, and stores the author, whom no response names', async () => {
    const { organization, schedule, homePlayer, awayPlayer } = game;
    const { creator, admin } = await loginBothRoles(organization);
    const before = { rows: [qbRow(homePlayer, 1)] };
    await callWithToken(server, admin, 'put', game.adminPath).send(before).expect(200);
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
    await withoutEventsOf(game.organization.id, async () => expectError(await game.put([]), 50000));
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

describe('the audit of an API key', () => {
  const organization = TestOrganization.forTests(server, beforeEach);

  it('records each change once, with actor, time, organization and values', async () => {
    const limits = { scopes: ['teams:read'], allowedAddresses: ['127.0.0.0/8'], expiresAt: '2199-01-01T00:00:00.000Z' };
    const begun = Date.now();
    const { id: key, keyPrefix } = await createKey(server, organization.id, { name: 'ERP', ...limits });
    await rotateKey(server, key, { graceSeconds: 60 });
    await endGracePeriod(server, key).expect(200);
    await rotateKey(server, key);
    await revokeKey(server, key).expect(200);

    const events = await changesOf(server, key);

    const known = { name: 'ERP', keyPrefix };
    expect(events.map(({ action, changes }) => [action, changes])).toEqual([
      ['createApiKey', { ...known, ...limits, expiresAt: new Date(limits.expiresAt) }],
      ['rotateApiKey', { ...known, graceSeconds: 60 }],
      ['endGracePeriod', known],
      ['rotateApiKey', { ...known, graceSeconds: 0 }],
      ['revokeApiKey', known],
    ]);
    for (const event of events) {
      expect(event).toMatchObject({ outcome: 'success', target: { kind: 'apiKey' }, address: '127.0.0.1' });
      expect(String(event['organizationId'])).toBe(organization.id);
      expect(event['actor']).toEqual(rootActor());
      expect((event['at'] as Date).getTime()).toBeGreaterThanOrEqual(begun);
    }
  });

  it('does not record repeated revocations, ending a missing grace period or rejected rotations', async () => {
    const { id: key } = organization.key;
    await endGracePeriod(server, key).expect(200);
    expectError(await requestRotation(server, key, { graceSeconds: -1 }), 40001);
    await revokeKey(server, key).expect(200);
    await revokeKey(server, key).expect(200);
    await endGracePeriod(server, key).expect(200);
    expectError(await requestRotation(server, key), 40903);
    expect((await changesOf(server, key)).map(({ action }) => action)).toEqual(['createApiKey', 'revokeApiKey']);
  });

  it('is rolled back if an event cannot be written: no key is created, rotated or revoked, and no grace period ends', async () => {
    const { id: key, apiKey } = organization.key;
    const other = await createKey(server, organization.id);
    await rotateKey(server, other.id, { graceSeconds: 3_600 });
    const keys = () => stored('apiKeys', { organizationId: id(organization.id) });
    const before = await keys();
    const created = { name: 'A', organizationId: organization.id };
    await withoutEventsOf(organization.id, async () => {
      expectError(await server.asSuperAdmin('post', '/api-keys').send(created), 50000);
      expectError(await requestRotation(server, key), 50000);
      expectError(await revokeKey(server, key), 50000);
      expectError(await endGracePeriod(server, other.id), 50000);
    });
    expect(await keys()).toEqual(before);
    expect(await isKeyAccepted(organization, apiKey)).toBe(true);
  });
});

/** Later than all events of other tests. */
const at = (seconds: number) => new Date(Date.parse('2127-05-01T12:00:00.000Z') + seconds * 1_000);
const idsOf = ({ data }: { data: { _id: string }[] }) => data.map(({ _id }) => _id);

/** Returns the IDs of events in the order in which they must be listed: newest first, by ID if the time is the same. */
const listedIds = (events: readonly AuditEventRecord[]) =>
  [...events]
    .sort((a, b) => b.at.getTime() - a.at.getTime() || String(b._id).localeCompare(String(a._id)))
    .map(({ _id }) => String(_id));

/** Stores events of a new organization at these seconds. */
async function storeEventsAt(...seconds: number[]) {
  const organizationId = new ObjectId();
  const events = seconds.map((second) => buildAuditEvent({ organizationId, at: at(second) }));
  await storeEvents(server, events);
  return { organizationId, query: `organizationId=${String(organizationId)}`, ids: listedIds(events) };
}

describe('GET /audit-events', () => {
  it('returns every field of an event', async () => {
    const organizationId = new ObjectId();
    const [userId, keyId, _id] = [new ObjectId(), new ObjectId(), new ObjectId()];
    const changes = { name: { from: 'A', to: 'B' }, scopes: ['teams:read'], expiresAt: at(9), revokedAt: null };
    const actor = { kind: 'user', _id: userId, email: 'dana@example.com', role: 'superAdmin' } as const;
    const origin = { address: '2001:db8::7', requestId: 'request-of-a-test' };
    const target = { kind: 'apiKey', _id: keyId } as const;
    await storeEvents(server, [buildAuditEvent({ _id, at: at(1), actor, target, organizationId, changes, ...origin })]);
    expect(await auditPage(server, `organizationId=${String(organizationId)}`)).toEqual({
      data: [
        {
          _id: String(_id),
          at: '2127-05-01T12:00:01.000Z',
          action: 'rotateApiKey',
          outcome: 'success',
          actor: { kind: 'user', _id: String(userId), email: 'dana@example.com', role: 'superAdmin' },
          target: { kind: 'apiKey', _id: String(keyId) },
          organizationId: String(organizationId),
          changes: { ...changes, expiresAt: '2127-05-01T12:00:09.000Z' },
          ...origin,
        },
      ],
    });
  });

  it('neither repeats nor skips events while others are written, even if many have the same time', async () => {
    const { organizationId, query, ids } = await storeEventsAt(0, 0, 0, 10, 0, 0, 60);
    let written = 0;
    const pages = await auditPages(server, `${query}&limit=2`, async () => {
      written++;
      await storeEvents(server, [buildAuditEvent({ organizationId, at: at(100 + written) })]);
    });
    expect(pages.flatMap(idsOf)).toEqual(ids);
    expect(idsOf(await auditPage(server, `${query}&limit=100`))).toHaveLength(ids.length + written);
  });

  it('rejects a cursor of another organization', async () => {
    const [own, other] = [await storeEventsAt(1, 3), await storeEventsAt(2, 4, 5)];
    const { nextCursor = '' } = await auditPage(server, `${other.query}&limit=2`);
    for (const query of [`${own.query}&`, ''])
      expectFieldError(await server.asSuperAdmin('get', `/audit-events?${query}cursor=${nextCursor}`), 'cursor');
  });
});

describe('the filters of GET /audit-events', () => {
  const organizationId = new ObjectId();
  const [dana, sam] = [new ObjectId(), new ObjectId()];
  const ofUser = (_id: ObjectId) => ({ kind: 'user', _id, email: 'user@example.com', role: 'superAdmin' }) as const;
  const actors = [ofUser(dana), ofUser(sam), { kind: 'cli' } as const];
  const targets = [new ObjectId(), new ObjectId()];
  const events = (['login', 'createSeason'] as const).flatMap((action, first) =>
    actors.flatMap((actor, second) =>
      [0, 1, 2].map((third) =>
        buildAuditEvent({
          organizationId,
          action,
          actor,
          at: at(1_000 + 100 * third + 10 * second + first),
          target: { kind: 'user', _id: targets[third] ?? sam },
        }),
      ),
    ),
  );
  const from = (second: number) => `from=${at(second).toISOString()}`;
  const to = (second: number) => `to=${at(second).toISOString()}`;
  type Expected = (event: AuditEventRecord) => boolean;
  const isLogin: Expected = ({ action }) => action === 'login';
  const isBySam: Expected = ({ actor }) => String(actor._id) === String(sam);
  const isIn = (first: number, end: number): Expected => {
    return (event) => event.at >= at(first) && event.at < at(end);
  };

  beforeAll(() => storeEvents(server, events));

  it.each<[string, Expected[]]>([
    ['action=login', [isLogin]],
    [`actorId=${String(sam).toUpperCase()}`, [isBySam]],
    [`targetId=${String(targets[1])}`, [({ target }) => target?._id === targets[1]]],
    ['from=2127-05-01T14:18:20%2B02:00', [isIn(1_100, 9_999)]],
    [to(1_100), [isIn(0, 1_100)]],
    [`${from(1_010)}&${to(1_210)}`, [isIn(1_010, 1_210)]],
    [`action=login&actorId=${String(sam)}&${from(1_011)}`, [isLogin, isBySam, isIn(1_011, 9_999)]],
  ])('match exactly, with and without an organization: %s', async (filter, expected) => {
    const ids = listedIds(events.filter((event) => expected.every((isExpected) => isExpected(event))));
    const own = `organizationId=${String(organizationId).toUpperCase()}&${filter}`;
    expect((await auditPages(server, `${own}&limit=2`)).flatMap(idsOf)).toEqual(ids);
    const all = idsOf(await auditPage(server, `${filter}&limit=100`));
    expect(all.filter((id) => events.some(({ _id }) => String(_id) === id))).toEqual(ids);
  });
});
