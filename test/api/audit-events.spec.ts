import { ObjectId } from 'mongodb';
import type { AuditEventRecord } from '../../src/modules/audit/audit-event.schema.js';
import { buildAuditEvent, auditPage, auditPages, storeEvents } from '../support/audit.js';
import { expectFieldError } from '../support/expectations.js';
import { RunningServer } from '../support/server.js';

const server = RunningServer.forTests({});

const at = (seconds: number) => new Date(Date.parse('2027-05-01T12:00:00.000Z') + seconds * 1_000);
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
          at: '2027-05-01T12:00:01.000Z',
          action: 'rotateApiKey',
          outcome: 'success',
          actor: { kind: 'user', _id: String(userId), email: 'dana@example.com', role: 'superAdmin' },
          target: { kind: 'apiKey', _id: String(keyId) },
          organizationId: String(organizationId),
          changes: { ...changes, expiresAt: '2027-05-01T12:00:09.000Z' },
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
    ['from=2027-05-01T14:18:20%2B02:00', [isIn(1_100, 9_999)]],
    [to(1_100), [isIn(0, 1_100)]],
    [`${from(1_010)}&${to(1_210)}`, [isIn(1_010, 1_210)]],
    [`action=login&actorId=${String(sam)}&${from(1_011)}`, [isLogin, isBySam, isIn(1_011, 9_999)]],
  ])('match exactly, with and without an organization: %s', async (filter, expected) => {
    const ids = listedIds(events.filter((event) => expected.every((isExpected) => isExpected(event))));
    const own = `organizationId=${String(organizationId).toUpperCase()}&${filter}`;
    expect((await auditPages(server, `${own}&limit=2`)).flatMap(idsOf)).toEqual(ids);
    const all = (await auditPages(server, `${filter}&limit=100`)).flatMap(idsOf);
    expect(all.filter((id) => events.some(({ _id }) => String(_id) === id))).toEqual(ids);
  });
});
