import { setTimeout as sleep } from 'node:timers/promises';
import { expectError } from '../support/expectations.js';
import { createOrganization } from '../support/organization.js';
import { RunningServer } from '../support/server.js';

jest.setTimeout(60_000);

/** Just below the socket timeout of the driver; two such reads exceed the deadline of a request. */
const slowRead = 2_400;

describe('a write whose request timed out', () => {
  const { server, mongod } = RunningServer.withMongodForTests();

  /** Slows down all reads and clears the caches until a request has been rejected. */
  const whileReadsAreSlow = async (request: () => PromiseLike<Parameters<typeof expectError>[0]>) => {
    const database = await server.database();
    for (const name of ['apiKeys', 'teams']) {
      await database.collection(name).updateMany({}, { $set: { updatedAt: new Date() } });
    }
    await sleep(500);
    const slow = { failCommands: ['find', 'aggregate'], blockConnection: true, blockTimeMS: slowRead } as const;
    await mongod.failCommands({ ...slow, failCommands: [...slow.failCommands] });
    const response = await request();
    await mongod.failCommands();
    expectError(response, 50301);
    // A write that was still in progress would have been applied by now.
    await sleep(slowRead);
  };

  it('is not applied later: an update, which would undo a later one', async () => {
    const organization = await createOrganization(server);
    const team = await organization.team();
    const { _id } = await organization.schedule(team._id);
    const change = (eventTitle: string) =>
      organization.call('patch', `/schedules/${_id}`).send({ teamId: team._id, eventTitle });
    await whileReadsAreSlow(() => change('refused'));

    const kept = await organization.call('get', `/schedules/${_id}`).expect(200);
    expect((kept.body as { data: { eventTitle: string } }).data.eventTitle).not.toBe('refused');
  });

  it('is not applied later: the statistics of a game', async () => {
    const organization = await createOrganization(server);
    const team = await organization.team();
    const player = await organization.player(team._id);
    const { _id } = await organization.schedule(team._id);
    const path = `/schedules/${_id}/player-statistics`;
    const put = (passAttempts: number) =>
      server
        .asSuperAdmin('put', path)
        .send({ rows: [{ playerId: player._id, category: 'qb', stats: { passAttempts } }] });
    await put(1).expect(200);
    await whileReadsAreSlow(() => put(2));
    await sleep(3_000);
    const kept = await organization.call('get', path).expect(200);
    expect(kept.body).toMatchObject({ data: [{ stats: { passAttempts: 1 } }] });
  });
});
