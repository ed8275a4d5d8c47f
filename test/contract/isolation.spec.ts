import { randomUUID } from 'node:crypto';
import type { Response } from 'supertest';
import { expectFieldRefusal, expectRefusal } from '../support/expectations.js';
import { aFullOrganization, everythingOf, type FullOrganization } from '../support/full-organization.js';
import { nobody } from '../support/http-routes.js';
import { type Method, RunningServer } from '../support/server.js';

/** A request of organization A; `<b.team>` names the team of organization B, `<a.team>` its own. */
interface Trespass {
  readonly what: string;
  readonly method: Method;
  readonly path: string;
  readonly body?: object;
  readonly error: number;
}

const start = '2027-05-01T10:00:00Z';
const trespasses: Trespass[] = [
  {
    what: 'season of a new team',
    method: 'post',
    path: '/teams',
    body: { name: 'Own', season: '<b.season>' },
    error: 40302,
  },
  { what: 'team of a list of players', method: 'get', path: '/teams/<b.team>/players', error: 40301 },
  {
    what: 'team of a new player',
    method: 'post',
    path: '/teams/<b.team>/players',
    body: { name: 'Own' },
    error: 40301,
  },
  { what: 'team and player of a reading', method: 'get', path: '/teams/<b.team>/players/<b.player>', error: 40301 },
  { what: 'team of a reading', method: 'get', path: '/teams/<b.team>/players/<a.player>', error: 40301 },
  { what: 'player of a reading', method: 'get', path: '/teams/<a.team>/players/<b.player>', error: 40403 },
  {
    what: 'team and player of a change',
    method: 'patch',
    path: '/teams/<b.team>/players/<b.player>',
    body: { name: 'Own' },
    error: 40301,
  },
  {
    what: 'team of a change',
    method: 'patch',
    path: '/teams/<b.team>/players/<a.player>',
    body: { name: 'Own' },
    error: 40301,
  },
  {
    what: 'player of a change',
    method: 'patch',
    path: '/teams/<a.team>/players/<b.player>',
    body: { name: 'Own' },
    error: 40403,
  },
  {
    what: 'player of an empty change',
    method: 'patch',
    path: '/teams/<a.team>/players/<b.player>',
    body: {},
    error: 40403,
  },
  { what: 'team and player of a deletion', method: 'delete', path: '/teams/<b.team>/players/<b.player>', error: 40301 },
  { what: 'team of a deletion', method: 'delete', path: '/teams/<b.team>/players/<a.player>', error: 40301 },
  { what: 'player of a deletion', method: 'delete', path: '/teams/<a.team>/players/<b.player>', error: 40403 },
  { what: 'team of a list of schedules', method: 'get', path: '/schedules?teamId=<b.team>', error: 40301 },
  {
    what: 'team of a list of live schedules',
    method: 'get',
    path: '/schedules?filter=live&teamId=<b.team>',
    error: 40301,
  },
  {
    what: 'team of a new schedule',
    method: 'post',
    path: '/schedules',
    body: { teamId: '<b.team>', startDate: start, teamTwoName: 'Foxes' },
    error: 40301,
  },
  {
    what: 'opponent of a new schedule',
    method: 'post',
    path: '/schedules',
    body: { teamId: '<a.team>', startDate: start, teamTwoId: '<b.team>' },
    error: 40301,
  },
  {
    what: 'opponent of a new practice',
    method: 'post',
    path: '/schedules',
    body: { teamId: '<a.team>', startDate: start, teamTwoId: '<b.team>', teamTwoName: 'Foxes', eventType: 'practice' },
    error: 40301,
  },
  { what: 'schedule of a reading', method: 'get', path: '/schedules/<b.schedule>', error: 40302 },
  {
    what: 'schedule of a change',
    method: 'patch',
    path: '/schedules/<b.schedule>',
    body: { teamId: '<a.team>', eventTitle: 'Own' },
    error: 40302,
  },
  {
    what: 'schedule of an empty change',
    method: 'patch',
    path: '/schedules/<b.schedule>',
    body: { teamId: '<a.team>' },
    error: 40302,
  },
  {
    what: 'team of a change',
    method: 'patch',
    path: '/schedules/<a.schedule>',
    body: { teamId: '<b.team>', eventTitle: 'Own' },
    error: 40301,
  },
  {
    what: 'schedule and team of a change',
    method: 'patch',
    path: '/schedules/<b.schedule>',
    body: { teamId: '<b.team>', eventTitle: 'Own' },
    error: 40301,
  },
  { what: 'schedule of a deletion', method: 'delete', path: '/schedules/<b.schedule>?teamId=<a.team>', error: 40302 },
  { what: 'team of a deletion', method: 'delete', path: '/schedules/<a.schedule>?teamId=<b.team>', error: 40301 },
  {
    what: 'schedule and team of a deletion',
    method: 'delete',
    path: '/schedules/<b.schedule>?teamId=<b.team>',
    error: 40301,
  },
  { what: 'schedule of statistics', method: 'get', path: '/schedules/<b.schedule>/player-statistics', error: 40302 },
  {
    what: 'schedule of some statistics',
    method: 'get',
    path: '/schedules/<b.schedule>/player-statistics?categories=qb',
    error: 40302,
  },
  {
    what: 'schedule of statistics of an own team',
    method: 'get',
    path: '/schedules/<b.schedule>/player-statistics?teamId=<a.team>',
    error: 40302,
  },
  {
    what: 'team of statistics',
    method: 'get',
    path: '/schedules/<a.schedule>/player-statistics?teamId=<b.team>',
    error: 40301,
  },
  {
    what: 'schedule and team of statistics',
    method: 'get',
    path: '/schedules/<b.schedule>/player-statistics?teamId=<b.team>',
    error: 40301,
  },
];

describe('an organization', () => {
  let server: RunningServer;
  let a: FullOrganization;
  let b: FullOrganization;
  let word: string;

  beforeAll(async () => {
    server = await RunningServer.start();
  });
  afterAll(() => server.stop());
  beforeEach(async () => {
    word = `Secret${randomUUID().slice(0, 8)}`;
    [a, b] = [await aFullOrganization(server, 'Own'), await aFullOrganization(server, word)];
  });

  const named = (text: string) =>
    text.replace(/<([ab])\.(\w+)>/g, (_, whose: string, what: 'team') => (whose === 'a' ? a : b)[what]._id);
  const send = async ({ method, path, body }: Omit<Trespass, 'error' | 'what'>): Promise<Response> => {
    const call = a.organization.call(method, named(path)).set('idem-key', randomUUID());
    return body === undefined ? call : call.send(JSON.parse(named(JSON.stringify(body))) as object);
  };
  const stored = async ({ organization }: FullOrganization) => everythingOf(await server.database(), organization.id);
  const expectNothingOfB = (answer: Response) => {
    const { organization, season, team, opponent, player, schedule } = b;
    const ids = [
      organization.id,
      organization.creator._id,
      season._id,
      team._id,
      opponent._id,
      player._id,
      schedule._id,
    ];
    for (const secret of [word, ...ids]) expect(answer.text).not.toContain(secret);
  };

  it.each(trespasses)(
    'is refused another’s $what with $error, sees nothing of it and changes nothing: $method $path',
    async (trespass) => {
      const before = [await stored(a), await stored(b)];
      const answer = await send(trespass);
      expectRefusal(answer, trespass.error);
      expectNothingOfB(answer);
      expect([await stored(a), await stored(b)]).toEqual(before);
    },
  );

  it.each(trespasses.filter(({ path }) => path.includes('<b.')))(
    'is refused the same with the id in capitals: $method $path',
    async (trespass) => {
      const path = trespass.path.replace(/<b\.\w+>/g, (name) => named(name).toUpperCase());
      const before = await stored(b);
      expectRefusal(await send({ ...trespass, path }), trespass.error);
      expect(await stored(b)).toBe(before);
    },
  );

  it.each(['/seasons', '/teams', '/schedules', '/schedules?filter=live', '/schedules?filter=upcoming'])(
    'finds nothing of another in a list: %s',
    async (path) => {
      const answer = await a.organization.call('get', path).expect(200);
      const { data, total } = answer.body as { data: { organizationId: string }[]; total: number };
      expect(data.filter(({ organizationId }) => organizationId !== a.organization.id)).toEqual([]);
      expect(total).toBe(data.length);
      expectNothingOfB(answer);
    },
  );

  it('changes nothing of another with anything that it may do', async () => {
    const before = await stored(b);
    const allowed: Omit<Trespass, 'error' | 'what'>[] = [
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
      const answer = await send(request);
      expect([200, 201]).toContain(answer.status);
      expectNothingOfB(answer);
    }
    expect(await stored(b)).toBe(before);
  });

  it.each<[Method, string, object]>([
    ['post', '/teams', { name: 'Third', season: '<a.season>' }],
    ['post', '/teams/<a.team>/players', { name: 'Second' }],
    ['post', '/schedules', { teamId: '<a.team>', startDate: start, teamTwoName: 'Foxes' }],
    ['patch', '/schedules/<a.schedule>', { teamId: '<a.team>' }],
    ['patch', '/teams/<a.team>/players/<a.player>', {}],
  ])('cannot write in the name of another: %s %s', async (method, path, body) => {
    const before = [await stored(a), await stored(b)];
    const organizationId = b.organization.id;
    expectFieldRefusal(await send({ method, path, body: { ...body, organizationId } }), 'organizationId');
    expectFieldRefusal(
      await send({ method, path: `${path}?organizationId=${organizationId}`, body }),
      'organizationId',
    );
    expect([await stored(a), await stored(b)]).toEqual(before);
  });

  it('shares no idem-key with another: each creates its own', async () => {
    const key = randomUUID();
    const create = (who: FullOrganization) =>
      who.organization
        .call('post', '/schedules')
        .set('idem-key', key)
        .send({ teamId: who.team._id, startDate: start, teamTwoName: 'Foxes' });
    const [first, second] = [await create(a).expect(201), await create(b).expect(201)];
    expect(second.headers).not.toHaveProperty('idempotent-replayed');
    expect((second.body as { _id: string })._id).not.toBe((first.body as { _id: string })._id);
  });

  it('tells a schedule of another (403) from one that nobody has, or that was deleted (404)', async () => {
    expectRefusal(await a.organization.call('get', `/schedules/${b.schedule._id}`), 40302);
    expectRefusal(await a.organization.call('get', `/schedules/${nobody}`), 40402);
    await b.organization.call('delete', `/schedules/${b.schedule._id}?teamId=${b.team._id}`).expect(200);
    expectRefusal(await a.organization.call('get', `/schedules/${b.schedule._id}`), 40402);
  });

  it('sees a season of all organizations, and may use it, beside its own', async () => {
    const shared = { name: 'Shared', startDate: '2027-01-01T00:00:00Z', endDate: '2027-02-01T00:00:00Z' };
    const season = (await server.asSuperAdmin('post', '/seasons').send(shared).expect(201)).body as { _id: string };
    for (const { organization } of [a, b]) {
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
    await server.asSuperAdmin('post', `/organizations/${a.organization.id}/users`).send(admin).expect(201);
    const user = who === 'admin' ? admin : a.organization.creator;
    const token = await server.login(user.email, user.password);
    const put = (schedule: string, rows: object[]) =>
      server
        .call('put', `/schedules/${schedule}/player-statistics`)
        .set('Authorization', `Bearer ${token}`)
        .send({ rows });
    const before = [await stored(a), await stored(b)];
    expectRefusal(await put(b.schedule._id, []), 40303);
    const foreignPlayer = await put(a.schedule._id, [{ playerId: b.player._id, category: 'qb', stats: {} }]);
    expectFieldRefusal(foreignPlayer, 'rows[0].playerId');
    expect(foreignPlayer.text).not.toContain(word);
    const after = [await stored(a), await stored(b)];
    expect(after).toEqual(before);
  });
});
