import { randomUUID } from 'node:crypto';
import { ObjectId } from 'mongodb';
import { expectDone, expectFailed, runAdmin } from '../support/admin-command.js';
import { expectError } from '../support/expectations.js';
import { createGame, qbRow, type StatisticsRow, type TestGame } from '../support/game.js';
import type { Stored } from '../support/organization.js';
import { historyUntil } from '../support/history.js';
import { eventuallyPasses } from '../support/processes.js';
import { RunningServer } from '../support/server.js';
import { changesOf } from '../support/stored-events.js';
import { readAllStoredValues } from '../support/stored-values.js';
import { WebhookReceiver } from '../support/webhook-receiver.js';

const server = RunningServer.forTests({ WEBHOOK_ALLOW_PRIVATE_ADDRESSES: 'true' });
let game: TestGame;
let player: Stored;
let name: string;

beforeEach(async () => {
  game = await createGame(server);
  name = randomUUID();
  const fields = { name, email: `${name}@example.com`, jerseyNumber: '07' };
  player = await game.organization.player(game.home._id, fields);
  await game.write([qbRow(player, 3), { ...qbRow(player), category: 'punt', stats: {} }, qbRow(game.homePlayer, 5)]);
});

const run = (...ids: string[]) =>
  runAdmin(['erase-player', ...ids], { environment: { MONGODB_URI: server.databaseUri } });
const inStatistics = (rows: number) =>
  `Erased the player ${player._id}, and replaced the name in ${rows} rows of statistics.`;
const erased = (rows: number) => `${inStatistics(rows)}\nThe name still stands in 0 other texts.`;
const pathOf = ({ _id }: Stored) => `/teams/${game.home._id}/players/${_id}`;
const byPlayer = (rows: readonly StatisticsRow[], { _id }: Stored) => rows.filter(({ playerId }) => playerId === _id);
const scheduleRecord = async ({ _id }: Stored) =>
  (await server.database()).collection('schedules').findOne({ _id: new ObjectId(_id) });
const placesOfName = async () => {
  const stored = await readAllStoredValues(await server.database());
  return stored.filter(({ text }) => text.includes(name)).map(({ place }) => place);
};

describe('npm run admin -- erase-player', () => {
  it('erases a player with the first response and replaces only the name in statistics, with one event of the operator', async () => {
    const before = await game.read();
    // The history is written behind the response.
    await eventuallyPasses(async () =>
      expect(new Set(await placesOfName())).toEqual(
        new Set([
          ...['players.name', 'players.email', 'players.idempotency.answer', 'playerStatistics.playerName'],
          ...['recordHistory.values.name', 'recordHistory.values.email'],
        ]),
      ),
    );

    expectDone(await run(player._id), erased(2));

    expect(await placesOfName()).toEqual([]);
    expectError(await game.organization.call('get', pathOf(player)), 40403);
    const after = await game.read();
    const renamed = byPlayer(before, player).map((row) => ({
      ...row,
      playerName: 'Deleted player',
      updatedAt: expect.any(String) as string,
    }));
    expect(byPlayer(after, player)).toEqual(renamed);
    expect(byPlayer(after, player).map(({ jerseyNumber }) => jerseyNumber)).toEqual(['07', '07']);
    expect(byPlayer(after, game.homePlayer)).toEqual(byPlayer(before, game.homePlayer));
    await game.organization.call('get', pathOf(game.homePlayer)).expect(200);
    const [event, ...more] = await changesOf(server, player._id);
    expect(more).toEqual([]);
    expect(event).toEqual({
      _id: expect.any(ObjectId) as ObjectId,
      at: expect.any(Date) as Date,
      action: 'erasePlayer',
      outcome: 'success',
      actor: { kind: 'cli' },
      organizationId: new ObjectId(game.organization.id),
      target: { kind: 'player', _id: new ObjectId(player._id) },
      changes: { rows: 2 },
    });
  });

  it('replaces the name of a player whose record is already erased, with the ID of the organization', async () => {
    const players = (await server.database()).collection('players');
    await players.deleteOne({ _id: new ObjectId(player._id) });
    const why = new RegExp(`^No player has the ID ${player._id}\n$`);
    expectFailed(await run(player._id), why);
    await eventuallyPasses(async () =>
      expect(await placesOfName()).toEqual(['playerStatistics.playerName', 'playerStatistics.playerName']),
    );

    const notSearched = `${inStatistics(2)}\nOther texts were not searched for the name.`;
    expectDone(await run(player._id, game.organization.id), notSearched);

    expect(await placesOfName()).toEqual([]);
    expect(await changesOf(server, player._id)).toHaveLength(1);
  });

  it('prints which other texts still contain the name, and not the texts', async () => {
    const { _id } = await game.organization.schedule(game.home._id, { locationName: `House of ${name}` });
    const mentions = `The name still stands in 1 other text.\nschedule ${_id}: locationName`;
    expectDone(await run(player._id), `${inStatistics(2)}\n${mentions}`);
  });
});

describe('the erasure of a player', () => {
  const erase = (id = player._id) => server.asSuperAdmin('post', `/players/${id}/erase`);

  it('succeeds for one of two requests at once', async () => {
    const twice = await Promise.all([erase(), erase()]);
    expect(twice.map(({ status }) => status).sort()).toEqual([200, 404]);
    expect(await changesOf(server, player._id)).toHaveLength(1);
  });

  it('signals the change of statistics of the games with the player, and of no other', async () => {
    const other = await game.organization.schedule(game.home._id);
    await game.organization.server
      .asSuperAdmin('put', `/schedules/${other._id}/player-statistics`)
      .send({ rows: [qbRow(game.homePlayer)] })
      .expect(200);
    const [before, otherBefore] = [await scheduleRecord(game.schedule), await scheduleRecord(other)];

    await erase().expect(200);

    const after = await scheduleRecord(game.schedule);
    const counted = (Number(before?.['statisticsRevision']) || 0) + 1;
    expect(after).toEqual({ ...before, statisticsWrittenAt: expect.any(Date) as Date, statisticsRevision: counted });
    expect(Number(after?.['statisticsWrittenAt'])).toBeGreaterThan(Number(before?.['statisticsWrittenAt']));
    expect(await scheduleRecord(other)).toEqual(otherBefore);
  });

  it('erases a deleted player, also from the statistics of a deleted game', async () => {
    await game.organization.call('delete', pathOf(player)).expect(200);
    const deletion = `/schedules/${game.schedule._id}?teamId=${game.home._id}`;
    await game.organization.call('delete', deletion).expect(200);

    await erase(player._id.toUpperCase()).expect(200);

    // The history of the deletion can still be on its way, and goes with the event of the erasure.
    await eventuallyPasses(async () => expect(await placesOfName()).toEqual([]));
  });

  it('erases the external ID from webhooks, which get the ID of the player', async () => {
    const receiver = await WebhookReceiver.start((response) => void response.writeHead(500).end());
    const events = ['player.updated', 'player.deleted'];
    const endpoint = await game.organization.call('post', '/webhook-endpoints').send({ url: receiver.url, events });
    await game.organization.call('patch', pathOf(player)).send({ externalId: name }).expect(200);
    await receiver.waitFor(1);
    expect(receiver.received[0]?.body).toContain(name);

    await erase().expect(200);

    await eventuallyPasses(async () => expect(await placesOfName()).toEqual([]));
    receiver.respond = (response) => void response.writeHead(204).end();
    const { _id } = endpoint.body as Stored;
    await game.organization.call('post', `/webhook-endpoints/${_id}/test`).expect(202);
    const deleted = () => receiver.events.find(({ event }) => event.type === 'player.deleted');
    await eventuallyPasses(() =>
      expect(deleted()?.event.data).toEqual({ kind: 'player', id: player._id, deleted: true }),
    );
    await receiver.stop();
  });

  it('changes nothing if its event cannot be written', async () => {
    const database = await server.database();
    await historyUntil(game.organization, pathOf(player), 1);
    const before = [await game.read(), await scheduleRecord(game.schedule), await placesOfName()];
    await database.command({ collMod: 'auditEvents', validator: { action: { $ne: 'erasePlayer' } } });
    try {
      await erase().expect(500);
    } finally {
      await database.command({ collMod: 'auditEvents', validator: {} });
    }
    expect([await game.read(), await scheduleRecord(game.schedule), await placesOfName()]).toEqual(before);
    await game.organization.call('get', pathOf(player)).expect(200);
  });
});
