import { randomUUID } from 'node:crypto';
import { expectFieldRefusal, expectRefusal } from '../support/expectations.js';
import type { FullOrganization } from '../support/full-organization.js';
import { nobody } from '../support/http-routes.js';
import { type Method, RunningServer } from '../support/server.js';
import { start } from '../support/trespasses.js';
import { type NamedRequest, TwoOrganizations } from '../support/two-organizations.js';

describe('an organization', () => {
  let server: RunningServer;
  let both: TwoOrganizations;

  beforeAll(async () => {
    server = await RunningServer.start();
  });
  afterAll(() => server.stop());
  beforeEach(async () => {
    both = await TwoOrganizations.make(server);
  });

  it.each(['/seasons', '/teams', '/schedules', '/schedules?filter=live', '/schedules?filter=upcoming'])(
    'finds nothing of another in a list: %s',
    async (path) => {
      const answer = await both.a.organization.call('get', path).expect(200);
      const { data, total } = answer.body as { data: { organizationId: string }[]; total: number };
      expect(data.filter(({ organizationId }) => organizationId !== both.a.organization.id)).toEqual([]);
      expect(total).toBe(data.length);
      both.expectNothingOfB(answer);
    },
  );

  it('changes nothing of another with anything that it may do', async () => {
    const before = (await both.stored()).b;
    const allowed: NamedRequest[] = [
      { method: 'post', path: '/teams', body: { name: 'Third', season: '<a.season>' } },
      { method: 'post', path: '/teams/<a.team>/players', body: { name: 'Second' } },
      { method: 'patch', path: '/teams/<a.team>/players/<a.player>', body: { name: 'Renamed' } },
      { method: 'post', path: '/schedules', body: { teamId: '<a.team>', startDate: start, teamTwoId: '<a.opponent>' } },
      { method: 'patch', path: '/schedules/<a.schedule>', body: { teamId: '<a.team>', eventTitle: 'Final' } },
      { method: 'get', path: '/schedules/<a.schedule>/player-statistics?teamId=<a.team>' },
      { method: 'delete', path: '/schedules/<a.schedule>?teamId=<a.team>' },
      { method: 'delete', path: '/teams/<a.team>/players/<a.player>' },
    ];
    for (const request of allowed) {
      const answer = await both.send(request);
      expect([200, 201]).toContain(answer.status);
      both.expectNothingOfB(answer);
    }
    expect((await both.stored()).b).toBe(before);
  });

  it.each<[Method, string, object]>([
    ['post', '/teams', { name: 'Third', season: '<a.season>' }],
    ['post', '/teams/<a.team>/players', { name: 'Second' }],
    ['post', '/schedules', { teamId: '<a.team>', startDate: start, teamTwoName: 'Foxes' }],
    ['patch', '/schedules/<a.schedule>', { teamId: '<a.team>' }],
    ['patch', '/teams/<a.team>/players/<a.player>', {}],
  ])('cannot write in the name of another: %s %s', async (method, path, body) => {
    const before = await both.stored();
    const organizationId = both.b.organization.id;
    expectFieldRefusal(await both.send({ method, path, body: { ...body, organizationId } }), 'organizationId');
    expectFieldRefusal(
      await both.send({ method, path: `${path}?organizationId=${organizationId}`, body }),
      'organizationId',
    );
    expect(await both.stored()).toEqual(before);
  });

  it('shares no idem-key with another: each creates its own', async () => {
    const key = randomUUID();
    const create = (who: FullOrganization) =>
      who.organization
        .call('post', '/schedules')
        .set('idem-key', key)
        .send({ teamId: who.team._id, startDate: start, teamTwoName: 'Foxes' });
    const [first, second] = [await create(both.a).expect(201), await create(both.b).expect(201)];
    expect(second.headers).not.toHaveProperty('idempotent-replayed');
    expect((second.body as { _id: string })._id).not.toBe((first.body as { _id: string })._id);
  });

  it('tells a schedule of another (403) from one that nobody has, or that was deleted (404)', async () => {
    expectRefusal(await both.a.organization.call('get', `/schedules/${both.b.schedule._id}`), 40302);
    expectRefusal(await both.a.organization.call('get', `/schedules/${nobody}`), 40402);
    await both.b.organization.call('delete', `/schedules/${both.b.schedule._id}?teamId=${both.b.team._id}`).expect(200);
    expectRefusal(await both.a.organization.call('get', `/schedules/${both.b.schedule._id}`), 40402);
  });

  it('sees a season of all organizations, and may use it, beside its own', async () => {
    const shared = { name: 'Shared', startDate: '2027-01-01T00:00:00Z', endDate: '2027-02-01T00:00:00Z' };
    const season = (await server.asSuperAdmin('post', '/seasons').send(shared).expect(201)).body as { _id: string };
    for (const { organization } of [both.a, both.b]) {
      const { data } = (await organization.call('get', '/seasons?limit=100').expect(200)).body as {
        data: { _id: string }[];
      };
      expect(data.map(({ _id }) => _id)).toContain(season._id);
      await organization.call('post', '/teams').send({ name: 'Third', season: season._id }).expect(201);
    }
    await (await server.database()).collection('seasons').deleteOne({ name: 'Shared' });
  });

  it.each(['creator', 'admin'] as const)('is closed to another’s %s at the statistics too', async (who) => {
    const admin = { name: 'Ari Admin', email: `${randomUUID()}@example.com`, password: 'correct horse battery' };
    await server.asSuperAdmin('post', `/organizations/${both.a.organization.id}/users`).send(admin).expect(201);
    const user = who === 'admin' ? admin : both.a.organization.creator;
    const token = await server.login(user.email, user.password);
    const put = (schedule: string, rows: object[]) =>
      server
        .call('put', `/schedules/${schedule}/player-statistics`)
        .set('Authorization', `Bearer ${token}`)
        .send({ rows });
    const before = await both.stored();
    expectRefusal(await put(both.b.schedule._id, []), 40303);
    const foreignPlayer = await put(both.a.schedule._id, [{ playerId: both.b.player._id, category: 'qb', stats: {} }]);
    expectFieldRefusal(foreignPlayer, 'rows[0].playerId');
    expect(foreignPlayer.text).not.toContain(both.word);
    const after = await both.stored();
    expect(after).toEqual(before);
  });
});
