import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { runAdmin } from '../support/admin-command.js';
import { loginFrom } from '../support/admins.js';
import { expectError } from '../support/expectations.js';
import { findProcesses } from '../support/processes.js';
import { RunningServer } from '../support/server.js';

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

  it('changes it while a server runs and while none does, and leaves no process behind', async () => {
    const created = await withPassword(login.password, 'create-super-admin', '--email', login.email);
    expect(created).toMatchObject({ code: 0, stdout: `Created the super admin ${login.email}.\n` });
    expect(findProcesses(folder)).toEqual([]);

    const server = await RunningServer.startEmbedded(folder);
    await server.login(login.email, login.password);
    const reset = await withPassword('another password', 'reset-password', '--email', login.email);
    expect(reset).toMatchObject({ code: 0, stderr: '' });
    // The server still has its database.
    expectError(await loginFrom(server, '127.0.0.1', login.email, login.password), 40102);
    await server.login(login.email, 'another password');
    expect(await server.end()).toBe(0);
    expect(findProcesses(folder)).toEqual([]);
  });

  it('starts it again after kill -9, even if another database has got its port', async () => {
    const server = await RunningServer.startEmbedded(folder);
    const other = await mkdtemp(path.join(tmpdir(), 'admin-embedded-test-'));
    const foreign = await RunningServer.startEmbedded(other);
    await server.end('SIGKILL');
    await copyFile(path.join(other, '.data/mongod.port'), path.join(folder, '.data/mongod.port'));
    const created = await withPassword(login.password, 'create-super-admin', '--email', login.email);
    expect(created).toMatchObject({ code: 0, stdout: `Created the super admin ${login.email}.\n` });
    expectError(await loginFrom(foreign, '127.0.0.1', login.email, login.password), 40102);
    await foreign.end();
    await rm(other, { recursive: true, force: true });
    const again = await RunningServer.startEmbedded(folder);
    await again.login(login.email, login.password);
    expect(await again.end()).toBe(0);
  });
});
