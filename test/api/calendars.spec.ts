import ICAL from 'ical.js';
import { ObjectId } from 'mongodb';
import { expectError } from '../support/expectations.js';
import { createOrganization, type Stored, TestOrganization } from '../support/organization.js';
import { secondsFromNow } from '../support/schedules.js';
import { RunningServer } from '../support/server.js';

const server = RunningServer.forTests();
const organization = TestOrganization.forTests(server);
let team: Stored;
const day = 24 * 60 * 60;

beforeAll(async () => {
  team = await organization.team({ name: 'Hawks' });
});

const linksOf = ({ _id }: Stored) => `/teams/${_id}/calendar-links`;

async function link(of = team, body: object = {}, owner = organization) {
  const created = (await owner.call('post', linksOf(of)).send(body).expect(201)).body as Stored & { url: string };
  return { ...created, path: new URL(created.url).pathname };
}

const read = (path: string) => server.call('get', path);

async function eventsAt(path: string): Promise<Record<string, unknown>[]> {
  const { text } = await read(path).expect(200);
  const calendar = new ICAL.Component(ICAL.parse(text) as unknown[]);
  return calendar.getAllSubcomponents('vevent').map((event) => {
    const values = ['uid', 'sequence', 'summary', 'status'].map((name) => event.getFirstPropertyValue(name));
    return Object.fromEntries(['id', 'sequence', 'summary', 'status'].map((name, index) => [name, values[index]]));
  });
}

describe('calendar links', () => {
  it('are created with a URL that no other response contains, and stored as a hash', async () => {
    const created = await link(team, { description: 'Parents' });
    const { url, path, ...fields } = created;
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/v1\/public-api\/calendars\/[\w-]{59}\.ics$/);
    expect(fields).toMatchObject({ description: 'Parents', teamId: team._id, organizationId: organization.id });
    const listed = await organization.call('get', linksOf(team)).expect(200);
    expect((listed.body as { data: object[] }).data).toContainEqual(fields);
    const token = path.slice(path.lastIndexOf('/') + 1, -'.ics'.length);
    const database = await server.database();
    for (const name of ['calendarLinks', 'auditEvents', 'changes']) {
      expect(JSON.stringify(await database.collection(name).find({}).toArray())).not.toContain(token);
    }
    await read(path).expect(200);
    for (const other of [`${token}x`, `${token.slice(0, -4)}AAAA`, token.slice(1), 'unknown'])
      expectError(await read(path.replace(token, other)), 40410);
    expect(server.log).not.toContain(token);
    expect(server.log).toContain('/v1/public-api/calendars/:token.ics');
  });

  it('are limited to 20 per team, also if they are created at once', async () => {
    const other = await organization.team({ name: 'Foxes' });
    const created = await Promise.all(
      Array.from({ length: 23 }, () => organization.call('post', linksOf(other)).send({})),
    );
    const rejected = created.filter(({ status }) => status !== 201);
    expect(rejected).toHaveLength(3);
    for (const response of rejected) expectError(response, 40909);
    const pageOf = async (query: object) =>
      (await organization.call('get', linksOf(other)).query(query).expect(200)).body as {
        data: Stored[];
        total: number;
      };
    const all = await pageOf({});
    expect([all.data.length, all.total]).toEqual([20, 20]);
    expect(await pageOf({ page: 3, limit: 8 })).toEqual({ data: all.data.slice(16), total: 20 });
    const [first] = created.filter(({ status }) => status === 201).map(({ body }) => body as Stored);
    await organization.call('delete', `${linksOf(other)}/${first?._id}`).expect(200);
    await link(other);
  });

  it('stop working at once when they are deleted', async () => {
    const { _id, path } = await link();
    await read(path).expect(200);
    const other = await organization.team({ name: 'Owls' });
    expectError(await organization.call('delete', `${linksOf(other)}/${_id}`), 40410);
    const response = await organization.call('delete', `${linksOf(team)}/${_id}`).expect(200);
    expect(response.body).toEqual({ message: 'Calendar link deleted' });
    expectError(await read(path), 40410);
    expectError(await organization.call('delete', `${linksOf(team)}/${_id}`), 40410);
  });

  it('stop working with their team', async () => {
    const owner = await createOrganization(server);
    const own = await owner.team();
    const { path } = await link(own, {}, owner);
    await read(path).expect(200);
    // No route deletes a team yet. Names of teams are cached for 0.3 s.
    const teams = (await server.database()).collection('teams');
    await teams.updateOne({ _id: new ObjectId(own._id) }, { $set: { deletedAt: new Date() } });
    await new Promise((resolve) => setTimeout(resolve, 500));
    expectError(await read(path), 40410);
  });

  it('are audited with the key as the actor', async () => {
    const { _id } = await link(team, { description: 'Coach' });
    await organization.call('delete', `${linksOf(team)}/${_id}`).expect(200);
    const query = `/audit-events?organizationId=${organization.id}&limit=2`;
    const { data } = (await server.asSuperAdmin('get', query).expect(200)).body as { data: object[] };
    const origin = { actor: { kind: 'apiKey' }, target: { kind: 'calendarLink', _id } };
    expect(data).toMatchObject([
      { ...origin, action: 'deleteCalendarLink' },
      { ...origin, action: 'createCalendarLink', changes: { teamId: team._id, description: 'Coach' } },
    ]);
  });
});

describe('GET /calendars/{token}.ics', () => {
  it('shows the schedules of both sides from 60 days ago to 400 days ahead, and deleted ones as cancelled', async () => {
    const own = await organization.team({ name: 'Bears' });
    const { path } = await link(own);
    const at = (days: number) => secondsFromNow(days * day);
    const schedule = (days: number, fields = {}) => organization.schedule(own._id, { startDate: at(days), ...fields });
    const home = await schedule(-59, { status: 'final', teamOneScore: 21, teamTwoScore: 14 });
    await schedule(-61);
    await schedule(401);
    const away = await organization.schedule(team._id, { teamTwoId: own._id, startDate: at(399) });
    const deleted = await schedule(1, { eventType: 'practice' });
    await organization.call('delete', `/schedules/${deleted._id}?teamId=${own._id}`).expect(200);
    await organization.schedule(team._id, { startDate: at(1) });
    const uid = ({ _id }: Stored) => `${_id}@flag-football-public-api`;
    expect((await eventsAt(path)).sort((a, b) => Number(a['sequence']) - Number(b['sequence']))).toEqual([
      { id: uid(home), sequence: 1, summary: 'Bears vs Foxes (21–14)', status: 'CONFIRMED' },
      { id: uid(away), sequence: 1, summary: 'Hawks vs Foxes', status: 'CONFIRMED' },
      { id: uid(deleted), sequence: 2, summary: 'Cancelled: Bears practice', status: 'CANCELLED' },
    ]);
  });

  it('sends 304 until a schedule changes, whose SEQUENCE then grows', async () => {
    const own = await organization.team({ name: 'Wolves' });
    const { path } = await link(own);
    const game = await organization.schedule(own._id, { startDate: secondsFromNow(day) });
    const first = await read(path).expect(200);
    expect(first.headers).toMatchObject({
      'content-type': 'text/calendar; charset=utf-8',
      'cache-control': 'private, max-age=300',
    });
    const etag = String(first.headers['etag']);
    await read(path).set('If-None-Match', etag).expect(304);
    for (const added of ['?fbclid=IwAR0', '?t=1&t=2', '?utm_source=mail', '?nocache'])
      expect((await read(path + added).expect(200)).text).toBe(first.text);
    const changes = [
      { status: 'postponed' },
      { status: 'cancelled' },
      { status: 'scheduled', locationName: 'Field 2' },
    ];
    for (const [index, change] of changes.entries()) {
      await organization
        .call('patch', `/schedules/${game._id}`)
        .send({ teamId: own._id, ...change })
        .expect(200);
      await read(path).set('If-None-Match', etag).expect(200);
      expect((await eventsAt(path))[0]?.['sequence']).toBe(index + 2);
    }
  });

  it('has a limit of 60 requests per minute for each link', async () => {
    const { path } = await link();
    const other = await link();
    const statuses = new Map<number, number>();
    for (let sent = 0; sent < 63; sent++) {
      const response = await read(path);
      statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1);
      if (response.status === 429) expect(Number(response.headers['retry-after'])).toBeGreaterThan(0);
    }
    expect(Object.fromEntries(statuses)).toEqual({ 200: 60, 429: 3 });
    await read(other.path).expect(200);
  });
});
