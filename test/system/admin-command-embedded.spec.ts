import { mkdtemp, rm } from 'node:fs/promises';
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

  it('changes it while no server runs, names the server that uses it, and leaves no process behind', async () => {
    const created = await withPassword(login.password, 'create-super-admin', '--email', login.email);
    expect(created).toMatchObject({ code: 0, stdout: `Created the super admin ${login.email}.\n` });
    expect(findProcesses(folder)).toEqual([]);

    const server = await RunningServer.startEmbedded(folder);
    await server.login(login.email, login.password);
    const rejected = await withPassword('another password', 'reset-password', '--email', login.email);
    expect(rejected).toMatchObject({ code: 1, stdout: '' });
    expect(rejected.stderr).toMatch(/Another MongoDB \(process \d+\) is using the data folder .*Stop it first/);
    expect(rejected.stderr).not.toMatch(/^ +at /m);
    await server.login(login.email, login.password);
    expect(await server.end()).toBe(0);

    const reset = await withPassword('another password', 'reset-password', '--email', login.email);
    expect(reset.code).toBe(0);
    expect(findProcesses(folder)).toEqual([]);
    const again = await RunningServer.startEmbedded(folder);
    await again.login(login.email, 'another password');
    expectError(await loginFrom(again, '127.0.0.1', login.email, login.password), 40102);
    expect(await again.end()).toBe(0);
  });
});
