import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { mongo } from 'mongoose';
import { auditPages } from '../support/audit.js';
import {
  aPlace,
  create,
  createRoutes,
  type CreateRoute,
  expectMade,
  expectReplayed,
  idsAt,
  type Place,
} from '../support/idempotent-creates.js';
import { aKey, anOrganization, type Stored } from '../support/organization.js';
import { expectPages, readIds } from '../support/paging.js';
import { listSchedules, secondsFromNow } from '../support/schedules.js';
import { expectNow, startUnequalReplicas, type UnequalReplicas, wrongClocks } from '../support/wrong-clock.js';

jest.setTimeout(60_000);

const minute = 60_000;
const day = 24 * 60 * minute;
/** What two machines make within such a moment has no order that anybody could tell. */
const moment = 600;

describe.each(wrongClocks)('beside a replica whose clock is %s', (_, ahead) => {
  let replicas: UnequalReplicas;

  beforeAll(async () => {
    replicas = await startUnequalReplicas(ahead);
  });
  afterAll(() => replicas.stop());

  const over = (place: Place): Place[] =>
    replicas.all.map((server) => ({ ...place, organization: place.organization.over(server) }));

  /** Makes a used key look as if its request had come so long ago, as the database tells the time. */
  async function age(route: CreateRoute, id: string, milliseconds: number): Promise<void> {
    const records = (await replicas.right.database()).collection(route.collection);
    const at = { $dateSubtract: { startDate: '$$NOW', unit: 'millisecond', amount: milliseconds } };
    await records.updateOne({ _id: new mongo.ObjectId(id) }, [{ $set: { 'idempotency.at': at } }]);
  }

  describe.each(createRoutes)('%s', (_name, route) => {
    it('makes one record of a request and its retry, whichever of the two either comes to', async () => {
      const places = over(await aPlace(replicas.right));
      for (const there of places) {
        const key = randomUUID();
        const first = await create(route, there, key);
        expectMade(first);
        const before = await idsAt(route, there);
        for (const place of places) expectReplayed(await create(route, place, key), first);
        for (const place of places) expect(await idsAt(route, place)).toEqual(before);
      }
    });

    it('remembers a key for 24 hours of the database, on both', async () => {
      const places = over(await aPlace(replicas.right));
      for (const there of places) {
        for (const back of places) {
          const key = randomUUID();
          const first = await create(route, there, key);
          await age(route, expectMade(first)._id, day - minute);
          expectReplayed(await create(route, back, key), first);
          await age(route, expectMade(first)._id, day + minute);
          const second = await create(route, back, key);
          expect(expectMade(second)._id).not.toBe(expectMade(first)._id);
          expectReplayed(await create(route, there, key), second);
        }
      }
    });
  });

  it('lists show what both made in the order of creation, the same on both, without gaps or repeats', async () => {
    const place = await aPlace(replicas.right);
    const batches: string[][] = [[], []];
    for (const batch of batches) {
      for (let index = 0; index < 8; index++) {
        for (const { organization, team } of over(place)) {
          const { _id, createdAt } = await organization.player(team, { name: `Player ${index}` });
          expectNow(createdAt);
          batch.push(_id);
        }
      }
      await sleep(moment);
    }
    const listOf =
      ({ organization, team }: Place) =>
      (query = '') =>
        organization.call('get', `/teams/${team}/players${query}`);
    const ids = await readIds(listOf(place), '?limit=100');
    expect([ids.slice(0, 16).sort(), ids.slice(16).sort()]).toEqual(batches.map((batch) => batch.sort()));
    for (const each of over(place)) await expectPages(listOf(each), ids);
  });

  it('the audit shows what both did, the same on both, newest first, without gaps or repeats', async () => {
    const { id } = await anOrganization(replicas.right);
    for (const name of ['older', 'newer']) {
      await sleep(moment);
      for (const server of replicas.all) await aKey(server, id, { name });
    }
    const [one, other] = await Promise.all(
      replicas.all.map(async (server) =>
        (await auditPages(server, `organizationId=${id}&limit=2`)).flatMap(({ data }) => data),
      ),
    );
    expect(one).toEqual(other);
    const made = (one ?? []).filter(({ action }) => action === 'createApiKey');
    const names = made.map(({ changes }) => changes?.['name']);
    expect(names).toEqual(['newer', 'newer', 'older', 'older', 'Registration platform']);
    for (const { at } of made) expectNow(at);
  });

  it('the same schedules are live and upcoming on both, whoever made them', async () => {
    const places = over(await aPlace(replicas.right));
    const [past, live, coming]: [string[], string[], string[]] = [[], [], []];
    for (const { organization, team } of places) {
      const make = async (from: number, to: number) => {
        const times = { startDate: secondsFromNow(from * 60), endDate: secondsFromNow(to * 60) };
        return (await organization.schedule(team, times))._id;
      };
      past.push(await make(-120, -1));
      live.push(await make(-1, 30));
      coming.push(await make(30, 120));
    }
    for (const { organization } of places) {
      const listed = async (query: string) => (await listSchedules(organization, query)).data.map(({ _id }) => _id);
      expect((await listed('filter=live')).sort()).toEqual(live.sort());
      expect((await listed('filter=upcoming')).sort()).toEqual(coming.sort());
      expect((await listed('')).sort()).toEqual([...past, ...live, ...coming].sort());
    }
  });

  it('what the wrong one changes, deletes and refuses has the right time', async () => {
    const place = await aPlace(replicas.right);
    const organization = place.organization.over(replicas.wrong);
    const { _id } = await organization.player(place.team);
    const path = `/teams/${place.team}/players/${_id}`;
    const changed = await organization.call('patch', path).send({ name: 'Sam Fox' }).expect(200);
    expectNow((changed.body as Stored)['updatedAt']);
    await organization.call('delete', path).expect(200);
    const players = (await replicas.right.database()).collection('players');
    expectNow((await players.findOne({ _id: new mongo.ObjectId(_id) }))?.['deletedAt']);
    const refused = await organization.call('get', path).expect(404);
    expectNow((refused.body as { timestamp: string }).timestamp);
  });
});
