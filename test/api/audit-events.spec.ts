import type { AuditEventRecord } from '../../src/modules/audit/audit-event.schema.js';
import { ObjectId } from 'mongodb';
import { callWithToken, loginBothRoles } from '../support/admins.js';
import { buildAuditEvent, auditPage, auditPages, storeEvents } from '../support/audit.js';
import { expectFieldError, expectError } from '../support/expectations.js';
import { createOrganization } from '../support/organization.js';
import { cheapHashes, preload } from '../support/preload.js';
import { RunningServer } from '../support/server.js';

let server: RunningServer;

beforeAll(async () => {
  server = await RunningServer.start(preload(cheapHashes));
});
afterAll(() => server.stop());

const noon = Date.parse('2027-05-01T12:00:00.000Z');
const at = (seconds: number) => new Date(noon + seconds * 1_000);

/** Stores events of a new organization at these seconds; returns their IDs newest first, as they must be listed. */
async function storeEventsAt(...seconds: number[]) {
  const organizationId = new ObjectId();
  const events = seconds.map((second) => buildAuditEvent({ organizationId, at: at(second) }));
  await storeEvents(server, events);
  const newestFirst = [...events].sort(
    (a, b) => b.at.getTime() - a.at.getTime() || String(b._id).localeCompare(String(a._id)),
  );
  return {
    organizationId,
    query: `organizationId=${String(organizationId)}`,
    ids: newestFirst.map(({ _id }) => String(_id)),
  };
}
function withoutOrganization({ organizationId, ...event }: AuditEventRecord): AuditEventRecord {
  expect(organizationId).toBeDefined();
  return event;
}
const idsOf = ({ data }: { data: { _id: string }[] }) => data.map(({ _id }) => _id);

describe('GET /audit-events', () => {
  it('lists newest first, by ID if the time is the same', async () => {
    const { query, ids } = await storeEventsAt(3, 1, 2, 2, 2, 5, 4);
    expect(await auditPage(server, query)).toEqual({ data: expect.anything() as unknown });
    expect(idsOf(await auditPage(server, query))).toEqual(ids);
  });

  it('returns every field of an event', async () => {
    const organizationId = new ObjectId();
    const [userId, keyId, _id] = [new ObjectId(), new ObjectId(), new ObjectId()];
    const changes = { name: { from: 'A', to: 'B' }, scopes: ['teams:read'], expiresAt: at(9), revokedAt: null };
    const actor = { kind: 'user', _id: userId, email: 'dana@example.com', role: 'superAdmin' } as const;
    const origin = { address: '2001:db8::7', requestId: 'request-of-a-test' };
    const target = { kind: 'apiKey', _id: keyId } as const;
    await storeEvents(server, [buildAuditEvent({ _id, at: at(1), actor, target, organizationId, changes, ...origin })]);
    expect((await auditPage(server, `organizationId=${String(organizationId)}`)).data).toEqual([
      {
        _id: String(_id),
        at: '2027-05-01T12:00:01.000Z',
        action: 'rotateApiKey',
        outcome: 'done',
        actor: { kind: 'user', _id: String(userId), email: 'dana@example.com', role: 'superAdmin' },
        target: { kind: 'apiKey', _id: String(keyId) },
        organizationId: String(organizationId),
        changes: { ...changes, expiresAt: '2027-05-01T12:00:09.000Z' },
        ...origin,
      },
    ]);
  });

  it('omits fields that an event does not have', async () => {
    const event = buildAuditEvent({ outcome: 'refused', error: 40102, at: at(1e9) });
    await storeEvents(server, [withoutOrganization(event)]);
    const [newest] = (await auditPage(server, 'limit=1')).data;
    const expected = { action: 'rotateApiKey', outcome: 'refused', error: 40102, actor: { kind: 'operator' } };
    expect(newest).toEqual({ _id: String(event._id), at: event.at.toISOString(), ...expected });
  });

  it("lists one organization's events if organizationId is sent, in either case, otherwise all", async () => {
    const [own, other] = [await storeEventsAt(101, 103), await storeEventsAt(102, 104)];
    const none = withoutOrganization(buildAuditEvent({ at: at(105) }));
    await storeEvents(server, [none]);
    expect(idsOf(await auditPage(server, own.query))).toEqual(own.ids);
    expect(idsOf(await auditPage(server, `organizationId=${String(own.organizationId).toUpperCase()}`))).toEqual(
      own.ids,
    );
    const all = (await auditPages(server, 'limit=100')).flatMap(idsOf);
    const these = [String(none._id), other.ids[0], own.ids[0], other.ids[1], own.ids[1]];
    expect(all.filter((id) => these.includes(id))).toEqual(these);
  });

  it('returns no events for an unknown organization', async () => {
    expect(await auditPage(server, `organizationId=${String(new ObjectId())}`)).toEqual({ data: [] });
  });
});

describe('the filters of GET /audit-events', () => {
  const organizationId = new ObjectId();
  const [dana, sam] = [new ObjectId(), new ObjectId()];
  const ofUser = (_id: typeof dana) => ({ kind: 'user', _id, email: 'user@example.com', role: 'superAdmin' }) as const;
  const actors = [ofUser(dana), ofUser(sam), { kind: 'operator' } as const];
  const events = (['login', 'createSeason'] as const).flatMap((action, first) =>
    actors.flatMap((actor, second) =>
      [0, 1, 2].map((third) =>
        buildAuditEvent({ organizationId, action, actor, at: at(1_000 + 100 * third + 10 * second + first) }),
      ),
    ),
  );
  const from = (second: number) => `from=${at(second).toISOString()}`;
  const to = (second: number) => `to=${at(second).toISOString()}`;
  type Expected = (event: AuditEventRecord) => boolean;
  const isLogin: Expected = ({ action }) => action === 'login';
  const isBy =
    (id: typeof dana): Expected =>
    ({ actor }) =>
      String(actor._id) === String(id);
  const isIn =
    (first: number, end: number): Expected =>
    (event) =>
      event.at >= at(first) && event.at < at(end);

  beforeAll(() => storeEvents(server, events));

  const cases: [string, string, Expected[]][] = [
    ['an action', 'action=login', [isLogin]],
    ['a user who acted', `actorId=${String(dana)}`, [isBy(dana)]],
    ['a user in upper case', `actorId=${String(sam).toUpperCase()}`, [isBy(sam)]],
    ['a start time', from(1_100), [isIn(1_100, 9_999)]],
    ['an end time', to(1_100), [isIn(0, 1_100)]],
    ['a period', `${from(1_010)}&${to(1_210)}`, [isIn(1_010, 1_210)]],
    ['a period in another time zone', 'from=2027-05-01T14:18:20%2B02:00', [isIn(1_100, 9_999)]],
    ['an empty period', `${from(1_100)}&${to(1_100)}`, [() => false]],
    ['an action and a user', `action=login&actorId=${String(dana)}`, [isLogin, isBy(dana)]],
    ['an action and a period', `action=login&${from(1_100)}&${to(1_200)}`, [isLogin, isIn(1_100, 1_200)]],
    ['a user and a period', `actorId=${String(sam)}&${to(1_200)}`, [isBy(sam), isIn(0, 1_200)]],
    ['all of them', `action=login&actorId=${String(sam)}&${from(1_011)}`, [isLogin, isBy(sam), isIn(1_011, 9_999)]],
  ];

  describe.each(cases)('by %s', (_name, filter, expected) => {
    const ids = events
      .filter((event) => expected.every((isExpected) => isExpected(event)))
      .sort((a, b) => b.at.getTime() - a.at.getTime() || String(b._id).localeCompare(String(a._id)))
      .map(({ _id }) => String(_id));

    it.each([1, 2, 100])('match exactly, in pages of %d', async (limit) => {
      const query = `organizationId=${String(organizationId)}&${filter}&limit=${limit}`;
      expect((await auditPages(server, query)).flatMap(idsOf)).toEqual(ids);
    });

    it('match events of all organizations without organizationId', async () => {
      const all = (await auditPages(server, `${filter}&limit=100`)).flatMap(idsOf);
      const own = new Set(events.map(({ _id }) => String(_id)));
      expect(all.filter((id) => own.has(id))).toEqual(ids);
    });
  });

  it('reject a cursor of other filters', async () => {
    const query = `organizationId=${String(organizationId)}&action=login&${from(1_000)}&${to(2_000)}`;
    const { nextCursor = '' } = await auditPage(server, `${query}&limit=1`);
    const others = [
      query.replace('login', 'createSeason'),
      query.replace('action=login&', ''),
      `${query}&actorId=${String(dana)}`,
      query.replace(from(1_000), from(1_001)),
      query.replace(`&${to(2_000)}`, ''),
      query.replace(String(organizationId), String(new ObjectId())),
    ];
    for (const other of others) {
      const response = await server.asSuperAdmin('get', `/audit-events?${other}&cursor=${nextCursor}`);
      expectFieldError(response, 'cursor');
    }
    await auditPage(server, `${query}&limit=1&cursor=${nextCursor}`);
  });

  it.each([
    ['action=deleteUser', 'action'],
    ['action=', 'action'],
    ['action=LOGIN', 'action'],
    ['action=login&action=login', 'action'],
    ['actorId=dana', 'actorId'],
    ['actorId=', 'actorId'],
    ['actorId=6650f1f77bcf86cd7994391', 'actorId'],
    ['from=yesterday', 'from'],
    ['from=2027-05-01', 'from'],
    ['to=2027-02-30T00:00:00Z', 'to'],
    ['to=', 'to'],
    ['to=2027-05-01T10:00:00Z&to=2027-05-01T10:00:00Z', 'to'],
  ])('reject %s, naming the parameter', async (query, field) => {
    expectFieldError(await server.asSuperAdmin('get', `/audit-events?${query}`), field);
  });

  it('find a login of the super admin by actor', async () => {
    const me = await server.asSuperAdmin('get', '/auth/me').expect(200);
    const { _id } = (me.body as { data: { _id: string } }).data;
    const { data } = await auditPage(server, `action=login&actorId=${_id}&limit=1`);
    expect(data).toMatchObject([{ action: 'login', outcome: 'done', actor: { _id }, target: { _id } }]);
  });
});

describe('the pages of GET /audit-events', () => {
  it('have 20 events by default and at most 100', async () => {
    const { query, ids } = await storeEventsAt(...Array.from({ length: 101 }, (_none, index) => index));
    expect(idsOf(await auditPage(server, query))).toEqual(ids.slice(0, 20));
    expect(idsOf(await auditPage(server, `${query}&limit=1`))).toEqual(ids.slice(0, 1));
    const [first, second, ...more] = await auditPages(server, `${query}&limit=100`);
    expect([idsOf(first ?? { data: [] }), idsOf(second ?? { data: [] }), more]).toEqual([
      ids.slice(0, 100),
      ids.slice(100),
      [],
    ]);
  });

  it.each([1, 2, 3, 6, 7])('of %d contain every event once, even if many have the same time', async (limit) => {
    const { query, ids } = await storeEventsAt(0, 0, 0, 1, 0, 0);
    expect((await auditPages(server, `${query}&limit=${limit}`)).flatMap(idsOf)).toEqual(ids);
  });

  it('end without a nextCursor, even if the last page is full', async () => {
    const { query } = await storeEventsAt(1, 2, 3, 4);
    const pages = await auditPages(server, `${query}&limit=2`);
    expect(pages.map((page) => [page.data.length, 'nextCursor' in page])).toEqual([
      [2, true],
      [2, false],
    ]);
  });

  it('neither repeat nor skip events while others are written', async () => {
    const { organizationId, query, ids } = await storeEventsAt(0, 10, 20, 30, 40, 50, 60);
    let written = 0;
    const pages = await auditPages(server, `${query}&limit=2`, async () => {
      written++;
      await storeEvents(server, [buildAuditEvent({ organizationId, at: at(100 + written) })]);
    });
    expect(pages.flatMap(idsOf)).toEqual(ids);
    expect(idsOf(await auditPage(server, `${query}&limit=100`))).toHaveLength(ids.length + written);
  });

  it('are stable: a cursor returns the same page again', async () => {
    const { organizationId, query, ids } = await storeEventsAt(1, 2, 3, 4, 5);
    const { nextCursor = '' } = await auditPage(server, `${query}&limit=2`);
    expect(nextCursor).toMatch(/^[A-Za-z0-9_-]+$/);
    await storeEvents(server, [buildAuditEvent({ organizationId, at: at(9) })]);
    for (const limit of [2, 3]) {
      const page = await auditPage(server, `${query}&limit=${limit}&cursor=${nextCursor}`);
      expect(idsOf(page)).toEqual(ids.slice(2, 2 + limit));
    }
  });

  it('reject a cursor of another organization', async () => {
    const [own, other] = [await storeEventsAt(1, 3), await storeEventsAt(2, 4, 5)];
    const { nextCursor = '' } = await auditPage(server, `${other.query}&limit=2`);
    expectFieldError(await server.asSuperAdmin('get', `/audit-events?${own.query}&cursor=${nextCursor}`), 'cursor');
    expectFieldError(await server.asSuperAdmin('get', `/audit-events?cursor=${nextCursor}`), 'cursor');
  });

  it.each([
    ['limit=0', 'limit'],
    ['limit=101', 'limit'],
    ['limit=1.5', 'limit'],
    ['limit=', 'limit'],
    ['limit=2&limit=2', 'limit'],
    ['organizationId=', 'organizationId'],
    ['organizationId=hawks', 'organizationId'],
    ['organizationId=6650f1f77bcf86cd79943911&organizationId=6650f1f77bcf86cd79943911', 'organizationId'],
    ['page=2', 'page'],
    ['actor=dana', 'actor'],
    ['cursor=', 'cursor'],
    ['cursor=null', 'cursor'],
    ['cursor=2', 'cursor'],
    ['cursor=6650f1f77bcf86cd79943911', 'cursor'],
    ['cursor=%7B%22%24gt%22%3A%22%22%7D', 'cursor'],
  ])('reject %s', async (query, field) => {
    expectFieldError(await server.asSuperAdmin('get', `/audit-events?${query}`), field);
  });

  it('reject a cursor that was truncated, extended, changed or sent twice', async () => {
    const { query } = await storeEventsAt(1, 2);
    const { nextCursor = '' } = await auditPage(server, `${query}&limit=1`);
    const wrong = [
      nextCursor.slice(1),
      nextCursor.slice(0, -1),
      `${nextCursor}A`,
      `${nextCursor}=`,
      `A${nextCursor.slice(1)}`,
      `${nextCursor}&cursor=${nextCursor}`,
    ];
    for (const cursor of wrong) {
      expectFieldError(await server.asSuperAdmin('get', `/audit-events?${query}&cursor=${cursor}`), 'cursor');
    }
  });
});

describe('access to GET /audit-events', () => {
  it('is denied to everyone except super admins, even to the creator of the organization', async () => {
    const organization = await createOrganization(server);
    const path = `/audit-events?organizationId=${organization.id}`;
    for (const token of Object.values(await loginBothRoles(organization))) {
      expectError(await callWithToken(server, token, 'get', path), 40303);
    }
    expectError(await callWithToken(server, organization.key.apiKey, 'get', path), 40102);
    expectError(await server.call('get', path), 40102);
  });

  it.each(['post', 'put', 'patch', 'delete'] as const)('is read-only: %s', async (method) => {
    const response = await server.asSuperAdmin(method, '/audit-events');
    expectError(response, 40500);
    expect(response.headers['allow']).toBe('GET, HEAD');
    expectError(await server.asSuperAdmin(method, `/audit-events/${String(new ObjectId())}`), 40400);
  });
});
