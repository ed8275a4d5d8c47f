import { randomUUID } from 'node:crypto';
import type { Response } from 'supertest';
import { createOrganizationAdmin } from '../support/admins.js';
import { expectFieldError, expectError } from '../support/expectations.js';
import type { FullOrganization } from '../support/full-organization.js';
import { cheapHashes, preload } from '../support/preload.js';
import { type Method, RunningServer } from '../support/server.js';
import { TwoOrganizations } from '../support/two-organizations.js';

const startDate = '2027-05-01T10:00:00Z';

/** Isolation that isolation.generated.spec.ts cannot derive from the document. */
describe('an organization', () => {
  const server = RunningServer.forTests(() => RunningServer.start({ ...preload(cheapHashes), WEBHOOK_WORKER: 'off' }));
  let both: TwoOrganizations;

  beforeEach(async () => {
    both = await TwoOrganizations.create(server);
  });

  /** Sends a request with the key of A. */
  const send = async (method: Method, path: string, body?: object): Promise<Response> =>
    both.a.organization.call(method, path).send(body);

  it.each(['live', 'upcoming'])('finds no %s schedules of another organization', async (filter) => {
    const response = await send('get', `/schedules?filter=${filter}`);
    const { data, total } = response.body as { data: { _id: string }[]; total: number };
    const own = filter === 'live' ? both.a.live : both.a.schedule;
    expect({ ids: data.map(({ _id }) => _id), total }).toEqual({ ids: [own._id], total: 1 });
    both.expectNothingOfB(response);
  });

  it("cannot create a practice with another organization's team on either side", async () => {
    const before = await both.stored();
    const [own, foreign] = [both.a.team._id, both.b.team._id];
    for (const [teamId, teamTwoId] of [
      [own, foreign],
      [foreign, own],
    ]) {
      const body = { teamId, teamTwoId, teamTwoName: 'Foxes', startDate, eventType: 'practice' };
      expectError(await send('post', '/schedules', body), 40301);
    }
    expect(await both.stored()).toEqual(before);
  });

  it('shares no idem-key with another organization: each creates its own record', async () => {
    const key = randomUUID();
    const create = ({ organization, team }: FullOrganization) =>
      organization
        .call('post', '/schedules')
        .set('idem-key', key)
        .send({ teamId: team._id, startDate, teamTwoName: 'Foxes' });
    const [first, second] = [await create(both.a).expect(201), await create(both.b).expect(201)];
    expect(second.headers).not.toHaveProperty('idempotent-replayed');
    expect((second.body as { _id: string })._id).not.toBe((first.body as { _id: string })._id);
  });

  it("gets 40301 for another organization's path, with a used or unused idem-key", async () => {
    const key = randomUUID();
    const create = ({ organization }: FullOrganization, name: string) =>
      organization.call('post', `/teams/${both.b.team._id}/players`).set('idem-key', key).send({ name });
    await create(both.b, 'Jordan Lee').expect(201);
    for (const name of ['Jordan Lee', 'Sam Fox']) expectError(await create(both.a, name), 40301);
  });

  it('gets 40402 instead of 40302 after another organization deleted a schedule', async () => {
    const path = `/schedules/${both.b.schedule._id}`;
    expectError(await send('get', path), 40302);
    await both.b.organization.call('delete', `${path}?teamId=${both.b.team._id}`).expect(200);
    expectError(await send('get', path), 40402);
  });

  it('sees a season of all organizations beside its own, and can use it', async () => {
    const shared = { name: 'Shared', startDate: '2027-01-01T00:00:00Z', endDate: '2027-02-01T00:00:00Z' };
    const season = (await server.asSuperAdmin('post', '/seasons').send(shared).expect(201)).body as { _id: string };
    for (const { organization, season: own } of [both.a, both.b]) {
      const { data } = (await organization.call('get', '/seasons?limit=100').expect(200)).body as {
        data: { _id: string }[];
      };
      expect(data.map(({ _id }) => _id)).toEqual([own._id, season._id]);
      await organization.call('post', '/teams').send({ name: 'Third', season: season._id }).expect(201);
    }
    await (await server.database()).collection('seasons').deleteOne({ name: 'Shared' });
  });

  it.each(['creator', 'admin'] as const)('cannot write statistics of another organization as its %s', async (role) => {
    const { organization } = both.a;
    const user = role === 'admin' ? await createOrganizationAdmin(organization) : organization.creator;
    const token = await server.login(user.email, user.password);
    const put = (schedule: string, rows: object[]) =>
      server
        .call('put', `/schedules/${schedule}/player-statistics`)
        .set('Authorization', `Bearer ${token}`)
        .send({ rows });
    const before = await both.stored();
    expectError(await put(both.b.schedule._id, []), 40303);
    const foreignPlayer = await put(both.a.schedule._id, [{ playerId: both.b.player._id, category: 'qb', stats: {} }]);
    expectFieldError(foreignPlayer, 'rows[0].playerId');
    both.expectNothingOfB(foreignPlayer);
    expect(await both.stored()).toEqual(before);
  });
});
