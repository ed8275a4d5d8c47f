import { randomUUID } from 'node:crypto';
import { MongoClient } from 'mongodb';
import type { Response } from 'supertest';
import { expectError } from '../support/expectations.js';
import { createGame, qbRow, type TestGame } from '../support/game.js';
import { eventually } from '../support/processes.js';
import { RunningServer } from '../support/server.js';

const promised = 5_000;
const collections = ['schedules', 'players', 'teams', 'seasons', 'playerStatistics', 'organizations', 'users'];

jest.setTimeout(60_000);

describe('while the database blocks all writes', () => {
  const { server, mongod } = RunningServer.withMongodForTests();
  let game: TestGame;
  let admin: MongoClient;

  beforeAll(async () => {
    game = await createGame(server);
    admin = await new MongoClient(mongod.uri).connect();
  });
  afterAll(() => admin.close());

  const writes = (): Record<string, () => PromiseLike<Response>> => {
    const { organization, home, schedule, homePlayer } = game;
    const dates = { startDate: '2027-03-01T00:00:00Z', endDate: '2027-06-30T00:00:00Z' };
    const creator = { name: 'Dana Reyes', email: `${randomUUID()}@example.com`, password: 'correct horse battery' };
    return {
      'new schedule': () =>
        organization
          .call('post', '/schedules')
          .send({ teamId: home._id, teamTwoName: 'F', startDate: dates.startDate }),
      'new player': () =>
        organization.call('post', `/teams/${home._id}/players`).set('idem-key', randomUUID()).send({ name: 'Jo' }),
      'changed schedule': () =>
        organization.call('patch', `/schedules/${schedule._id}`).send({ teamId: home._id, practiceNote: 'rain' }),
      'new season': () => server.asSuperAdmin('post', '/seasons').send({ name: 'Spring', ...dates }),
      'new statistics': () => game.put([qbRow(homePlayer)]),
      'new organization': () => server.asSuperAdmin('post', '/organizations').send({ name: 'Bay', creator }),
    };
  };

  const stored = () =>
    Promise.all(collections.map((name) => admin.db().collection(name).find().sort({ _id: 1 }).toArray()));

  it('they get 503 within 5 s and are not written later', async () => {
    const before = await stored();
    await admin.db('admin').command({ fsync: 1, lock: true });
    let responses: { what: string; response: Response; milliseconds: number }[];
    try {
      const sending = Object.entries(writes()).map(async ([what, send]) => {
        const begun = Date.now();
        const response = await send();
        return { what, response, milliseconds: Date.now() - begun };
      });
      responses = await Promise.all(sending);
    } finally {
      await admin.db('admin').command({ fsyncUnlock: 1 });
    }
    for (const { what, response, milliseconds } of responses) {
      expect([what, milliseconds < promised]).toEqual([what, true]);
      expectError(response, 50301);
    }
    for (const command of ['insert', 'findAndModify', 'commitTransaction'])
      await eventually(`no ${command} is running`, async () => (await mongod.countRunningCommands(command)) === 0);
    expect(await stored()).toEqual(before);
    for (const [what, send] of Object.entries(writes())) {
      const { status } = await send();
      expect([what, status < 300]).toEqual([what, true]);
    }
  });
});
