import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { MongoClient, ObjectId } from 'mongodb';
import { expectDone, expectFailed, runAdmin, writePasswordFile } from '../support/admin-command.js';
import { createOrganizationAdmin, callWithToken, loginFrom, updateUser } from '../support/admins.js';
import { expectInvalidKey, expectError } from '../support/expectations.js';
import { createGame, qbRow, type StatisticsRow, type TestGame } from '../support/game.js';
import { historyUntil } from '../support/history.js';
import { createOrganization, type Stored } from '../support/organization.js';
import { freePort, MongodProcess } from '../support/mongod-process.js';
import { enrol } from '../support/second-factor.js';
import { RunningServer, superAdmin } from '../support/server.js';
import { changesOf } from '../support/stored-events.js';
import { readAllStoredValues } from '../support/stored-values.js';
import { eventuallyPasses, findProcesses } from '../support/processes.js';
import { WebhookReceiver } from '../support/webhook-receiver.js';

const newPassword = () => `new ${randomUUID()}`;
const newEmail = () => `${randomUUID()}@example.com`;

const server = RunningServer.forTests({ WEBHOOK_ALLOW_PRIVATE_ADDRESSES: 'true' });
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'admin-command-'));
});

afterAll(() => rm(folder, { recursive: true }));

const onServer = () => ({ environment: { MONGODB_URI: server.databaseUri } });
const run = (...given: string[]) => runAdmin(given, onServer());
const runWith = (stdin: string, ...given: string[]) =>
  runAdmin([...given, '--password-file', '-'], { ...onServer(), stdin });
const anAdmin = async () => createOrganizationAdmin(await createOrganization(server));

describe('npm run admin -- create-super-admin', () => {
  it('creates a super admin with the password of a file, who can log in and has full access', async () => {
    const [email, password] = [newEmail(), newPassword()];
    const file = await writePasswordFile(folder, password);
    const outcome = await run('create-super-admin', '--email', email.toUpperCase(), '--password-file', file);

    expectDone(outcome, `Created the super admin ${email}.`);
    const token = await server.login(email, password);
    await callWithToken(server, token, 'get', '/organizations').expect(200);
    const { data } = (await callWithToken(server, token, 'get', '/auth/me')).body as { data: { _id: string } };
    expect(data).toMatchObject({ name: 'Super admin', email, role: 'superAdmin', disabled: false });
    const [event, ...more] = await changesOf(server, data._id);
    expect(more).toEqual([]);
    expect(event).toMatchObject({
      action: 'createSuperAdmin',
      actor: { kind: 'cli' },
      changes: { name: 'Super admin', email },
    });
    expect(JSON.stringify(event)).not.toContain(password);
  });
});

describe('npm run admin -- reset-password', () => {
  it('sets the password; the old password and all earlier tokens stop working', async () => {
    const { _id, email, password } = await anAdmin();
    const token = await server.login(email, password);
    const renewed = newPassword();
    const outcome = await runWith(renewed, 'reset-password', '--email', email);

    expectDone(outcome, `Reset the password of ${email}. All earlier logins have ended.`);
    await server.login(email, renewed);
    expectError(await loginFrom(server, '127.0.6.1', email, password), 40102);
    expectError(await callWithToken(server, token, 'get', '/auth/me'), 40102);
    const { at, requestId, address, changes, ...event } = (await changesOf(server, _id)).at(-1) ?? { action: 'none' };
    expect([at, requestId, address, changes]).toEqual([expect.any(Date), undefined, undefined, undefined]);
    expect(event).toMatchObject({ action: 'resetPassword', outcome: 'success', actor: { kind: 'cli' } });
  });

  it('rejects an unknown email', async () => {
    const email = newEmail();
    const outcome = await runWith(newPassword(), 'reset-password', '--email', email);
    expectFailed(outcome, new RegExp(`^No user has the email ${email}\n$`));
  });
});

describe('npm run admin -- reset-second-factor', () => {
  it('removes the second factor, ends all tokens, and says so', async () => {
    const { _id, email, password } = await anAdmin();
    const { accessToken } = await enrol(server, await server.login(email, password), password);
    expectDone(
      await run('reset-second-factor', email),
      `Removed the second factor of ${email}. All earlier logins have ended.`,
    );
    expectError(await callWithToken(server, accessToken, 'get', '/auth/me'), 40102);
    await server.login(email, password);
    const event = (await changesOf(server, _id)).at(-1);
    expect(event).toMatchObject({ action: 'resetSecondFactor', outcome: 'success', actor: { kind: 'cli' } });
    expectDone(await run('reset-second-factor', email), `The user ${email} has no second factor.`);
  });
});

describe('npm run admin -- disable-user', () => {
  it('stops logins of the user and the keys of the organization they created', async () => {
    const organization = await createOrganization(server);
    const { _id, email, password } = organization.creator;
    const token = await server.login(email, password);
    await organization.call('get', '/teams').expect(200);

    expectDone(await run('disable-user', '--email', email), `Disabled the user ${email}.`);

    expectError(await loginFrom(server, '127.0.6.3', email, password), 40102);
    expectError(await callWithToken(server, token, 'get', '/auth/me'), 40102);
    expectInvalidKey(await organization.call('get', '/teams'));
    const events = await changesOf(server, _id);
    expect(events).toMatchObject([
      {
        action: 'disableUser',
        actor: { kind: 'cli' },
        organizationId: new ObjectId(organization.id),
        changes: { disabled: true },
      },
    ]);
  });

  it('changes nothing for a disabled user, who stays so with a new password, and says so', async () => {
    const { _id, email } = await anAdmin();
    await updateUser(server, _id, { disabled: true }).expect(200);
    const events = await changesOf(server, _id);
    expectDone(await run('disable-user', '--email', email), `The user ${email} is already disabled.`);
    expect(await changesOf(server, _id)).toEqual(events);
    const renewed = newPassword();
    const outcome = await runWith(renewed, 'reset-password', '--email', email);
    expectDone(outcome, `Reset the password of ${email}. All earlier logins have ended. The user is still disabled.`);
    expectError(await loginFrom(server, '127.0.6.2', email, renewed), 40102);
  });
});

describe('the erasure of a player', () => {
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

  const runErasure = (...ids: string[]) => run('erase-player', ...ids);
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

  describe('with npm run admin -- erase-player', () => {
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

      expectDone(await runErasure(player._id), erased(2));

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
      expectFailed(await runErasure(player._id), why);
      await eventuallyPasses(async () =>
        expect(await placesOfName()).toEqual(['playerStatistics.playerName', 'playerStatistics.playerName']),
      );

      const notSearched = `${inStatistics(2)}\nOther texts were not searched for the name.`;
      expectDone(await runErasure(player._id, game.organization.id), notSearched);

      expect(await placesOfName()).toEqual([]);
      expect(await changesOf(server, player._id)).toHaveLength(1);
    });

    it('prints which other texts still contain the name, and not the texts', async () => {
      const { _id } = await game.organization.schedule(game.home._id, { locationName: `House of ${name}` });
      const mentions = `The name still stands in 1 other text.\nschedule ${_id}: locationName`;
      expectDone(await runErasure(player._id), `${inStatistics(2)}\n${mentions}`);
    });
  });

  describe('over HTTP', () => {
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
});

describe('npm run admin', () => {
  it('prints its usage with --help', async () => {
    const { code, stdout, stderr } = await run('--help');
    expect([code, stderr]).toEqual([0, '']);
    for (const command of ['create-super-admin', 'reset-password', 'disable-user', 'erase-player'])
      expect(stdout).toContain(command);
  });

  it('gives up on an unreachable database with the reason', async () => {
    const MONGODB_URI = `mongodb://127.0.0.1:${await freePort()}/away?replicaSet=none`;
    const outcome = await runAdmin(['disable-user', '--email', superAdmin.email], { environment: { MONGODB_URI } });
    expectFailed(outcome, /^Nothing was changed: MongoDB is unreachable; check MONGODB_URI$/m);
    expect(outcome.stderr).toMatch(/^MongoDB is unavailable: .*ECONNREFUSED/m);
  });
});

const login = { email: 'root@example.com', password: 'a password for tests' };

describe('npm run admin without MONGODB_URI, in the folder of an embedded database', () => {
  jest.setTimeout(90_000);
  let folder: string;

  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'admin-embedded-test-'));
  });

  afterEach(() => rm(folder, { recursive: true, force: true }));

  const run = (stdin: string, ...given: string[]) =>
    runAdmin(given, {
      environment: { MONGOD_BINARY: process.env['TEST_MONGOD_BINARY'] ?? '' },
      folder,
      stdin,
    });
  const withPassword = (password: string, ...given: string[]) => run(password, ...given, '--password-file', '-');

  it('changes it while a server runs, while none does, and after kill -9, even if another database has got its port', async () => {
    const given = ['create-super-admin', '--email', login.email, '--name', 'Dana Reyes'];
    const created = await withPassword(login.password, ...given);
    expect(created).toMatchObject({ code: 0, stdout: `Created the super admin ${login.email}.\n` });
    expect(findProcesses(folder)).toEqual([]);

    const server = await RunningServer.startEmbedded(folder);
    const token = await server.login(login.email, login.password);
    const me = await callWithToken(server, token, 'get', '/auth/me');
    expect(me.body).toMatchObject({ data: { name: 'Dana Reyes', email: login.email, role: 'superAdmin' } });
    const reset = await withPassword('another password', 'reset-password', '--email', login.email);
    expect(reset).toMatchObject({ code: 0, stderr: '' });
    // The server still has its database.
    expectError(await loginFrom(server, '127.0.0.1', login.email, login.password), 40102);
    await server.login(login.email, 'another password');

    await server.end('SIGKILL');
    const other = await MongodProcess.start();
    await writeFile(path.join(folder, '.data/mongod.port'), String(other.port));
    const second = { email: 'second@example.com', password: 'a password for tests' };
    const next = await withPassword(second.password, 'create-super-admin', '--email', second.email);
    expect(next).toMatchObject({ code: 0, stdout: `Created the super admin ${second.email}.\n` });
    const client = await new MongoClient(other.uri).connect();
    expect(await client.db().collections()).toEqual([]);
    await client.close();
    await other.remove();
    expect(findProcesses(folder)).toEqual([]);
  });
});
