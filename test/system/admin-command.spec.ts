import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { ObjectId } from 'mongodb';
import { expectDone, expectFailed, runAdmin, writePasswordFile } from '../support/admin-command.js';
import { createOrganizationAdmin, callWithToken, loginFrom, updateUser } from '../support/admins.js';
import { expectInvalidKey, expectError } from '../support/expectations.js';
import { createOrganization } from '../support/organization.js';
import { freePort, MongodProcess } from '../support/mongod-process.js';
import { enrol } from '../support/second-factor.js';
import { RunningServer, superAdmin } from '../support/server.js';
import { changesOf } from '../support/stored-events.js';
import { findProcesses } from '../support/processes.js';

const newPassword = () => `new ${randomUUID()}`;
const newEmail = () => `${randomUUID()}@example.com`;

let server: RunningServer;
let folder: string;

beforeAll(async () => {
  server = await RunningServer.start();
  folder = await mkdtemp(path.join(tmpdir(), 'admin-command-'));
});

afterAll(async () => {
  await server.stop();
  await rm(folder, { recursive: true });
});

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

  it('rejects an email that a user has', async () => {
    const outcome = await runWith(newPassword(), 'create-super-admin', '--email', superAdmin.email);
    expectFailed(outcome, /^A user with this email already exists$/m);
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
    await other.remove();
    const again = await RunningServer.startEmbedded(folder);
    await again.login(second.email, second.password);
    expect(await again.end()).toBe(0);
    expect(findProcesses(folder)).toEqual([]);
  });
});
