import { randomUUID } from 'node:crypto';
import { ObjectId } from 'mongodb';
import { expectDone, expectFailed, runAdmin } from '../support/admin-command.js';
import { expectError } from '../support/expectations.js';
import { createGame, qbRow, type StatisticsRow, type TestGame } from '../support/game.js';
import { unknownId } from '../support/http-routes.js';
import type { Stored } from '../support/organization.js';
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
  it('erases a player with the first response, and replaces only the name in statistics', async () => {
    const before = await game.read();
    expect(new Set(await placesOfName())).toEqual(
      new Set(['players.name', 'players.email', 'players.idempotency.answer', 'playerStatistics.playerName']),
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
  });

  it('records one event of the operator without personal data', async () => {
    expectDone(await run(player._id), erased(2));
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
    const listed = await server.asSuperAdmin('get', '/audit-events?action=erasePlayer').expect(200);
    expect((listed.body as { data: { target: object }[] }).data.map(({ target }) => target)).toContainEqual({
      kind: 'player',
      _id: player._id,
    });
  });

  it('signals the change of statistics of the games with the player, and of no other', async () => {
    const other = await game.organization.schedule(game.home._id);
    await game.organization.server
      .asSuperAdmin('put', `/schedules/${other._id}/player-statistics`)
      .send({ rows: [qbRow(game.homePlayer)] })
      .expect(200);
    const [before, otherBefore] = [await scheduleRecord(game.schedule), await scheduleRecord(other)];

    expectDone(await run(player._id), erased(2));

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

    expectDone(await run(player._id.toUpperCase()), erased(2));

    expect(await placesOfName()).toEqual([]);
  });

  it('keeps the replaced name when the statistics are written again, also during the erasure', async () => {
    const writes = Array.from({ length: 20 }, (_, index) => game.put([qbRow(player, index)]));
    const [result] = await Promise.all([run(player._id), ...writes]);
    expect(result.code).toBe(0);
    const [row] = await game.write([qbRow(player, 9)]);
    expect(row).toMatchObject({ playerId: player._id, playerName: 'Deleted player', jerseyNumber: '07' });
    expect(await placesOfName()).toEqual([]);
  });

  it('replaces the name of a player whose record is already erased, with the ID of the organization', async () => {
    const players = (await server.database()).collection('players');
    await players.deleteOne({ _id: new ObjectId(player._id) });
    const why = new RegExp(`^No player has the ID ${player._id}\n$`);
    expectFailed(await run(player._id), why);
    expectFailed(await run(player._id, unknownId), why);
    expect(await placesOfName()).toEqual(['playerStatistics.playerName', 'playerStatistics.playerName']);

    const notSearched = `${inStatistics(2)}\nOther texts were not searched for the name.`;
    expectDone(await run(player._id, game.organization.id), notSearched);

    expect(await placesOfName()).toEqual([]);
    expectFailed(await run(player._id, game.organization.id), why);
    expect(await changesOf(server, player._id)).toHaveLength(1);
  });

  it('erases the external ID from webhooks, which get the ID of the player', async () => {
    const receiver = await WebhookReceiver.start((response) => void response.writeHead(500).end());
    const events = ['player.updated', 'player.deleted'];
    const endpoint = await game.organization.call('post', '/webhook-endpoints').send({ url: receiver.url, events });
    await game.organization.call('patch', pathOf(player)).send({ externalId: name }).expect(200);
    await receiver.waitFor(1);
    expect(receiver.received[0]?.body).toContain(name);

    expectDone(await run(player._id), erased(2));

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

  it('prints which other texts still contain the name, and not the texts', async () => {
    const { _id } = await game.organization.schedule(game.home._id, { locationName: `House of ${name}` });
    const mentions = `The name still stands in 1 other text.\nschedule ${_id}: locationName`;
    expectDone(await run(player._id), `${inStatistics(2)}\n${mentions}`);
  });

  it('rejects a second call and an unknown ID', async () => {
    const twice = await Promise.all([run(player._id), run(player._id)]);
    expect(twice.map(({ code }) => code).sort()).toEqual([0, 1]);
    for (const id of [player._id, unknownId]) expectFailed(await run(id), new RegExp(`^No player has the ID ${id}\n$`));
    expect(await changesOf(server, player._id)).toHaveLength(1);
  });

  it('changes nothing if its event cannot be written', async () => {
    const database = await server.database();
    const before = [await game.read(), await scheduleRecord(game.schedule), await placesOfName()];
    await database.command({ collMod: 'auditEvents', validator: { action: { $ne: 'erasePlayer' } } });
    try {
      expect(await run(player._id)).toMatchObject({ code: 1, stdout: '' });
    } finally {
      await database.command({ collMod: 'auditEvents', validator: {} });
    }
    expect([await game.read(), await scheduleRecord(game.schedule), await placesOfName()]).toEqual(before);
    await game.organization.call('get', pathOf(player)).expect(200);
  });

  it('does not change how long other deleted players are kept', async () => {
    const indexes = async () => (await server.database()).collection('players').indexes();
    const before = await indexes();
    const environment = { MONGODB_URI: server.databaseUri, DELETED_PLAYER_RETENTION_DAYS: '1' };
    expectDone(await runAdmin(['erase-player', player._id], { environment }), erased(2));
    expect(await indexes()).toEqual(before);
  });
});
