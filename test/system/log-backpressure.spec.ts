import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, open, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { logLines, preload } from '../support/preload.js';
import { eventually } from '../support/processes.js';
import { compileCache } from '../support/server-process.js';
import { RunningServer } from '../support/server.js';
import { testDatabaseUri } from '../support/test-database.js';

/** Logs 80 MB with the server's logger on a signal, 1 MB every few milliseconds. */
const talkative = preload(`
  import { Logger } from '${pathToFileURL(path.resolve('node_modules/@nestjs/common/index.js')).href}';
  const text = 'x'.repeat(1_000);
  process.on('SIGUSR2', () => {
    let rounds = 0;
    const timer = setInterval(() => {
      for (let line = 0; line < 1_000; line++) Logger.log(text, 'Test');
      if (++rounds === 80) { clearInterval(timer); process.stderr.write('all is logged'); }
    }, 5);
  });`);

describe('a server whose standard output is not read', () => {
  let server: RunningServer;

  beforeEach(async () => {
    server = await RunningServer.start(talkative);
    server.process.stdout?.pause();
  });
  afterEach(async () => {
    server.process.stdout?.resume();
    await server.stop();
  });

  const logALot = async () => {
    server.process.kill('SIGUSR2');
    await eventually('all is logged', () => server.log.includes('all is logged'), 30);
  };
  const memory = () =>
    Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${server.process.pid}/status`, 'utf8'))?.[1]);

  it('keeps responding with bounded memory and later logs again, and works until it is stopped without a reader', async () => {
    const before = memory();
    await logALot();
    for (let number = 0; number < 20; number++) await server.call('get', '/health/ready').expect(200);
    expect(memory() - before).toBeLessThan(150_000);
    server.process.stdout?.resume();
    await server.call('get', '/openapi.json').expect(200);
    await eventually('the next line', () => server.log.includes('/openapi.json'));
    const isTest = ({ context, msg }: Record<string, unknown>) => context === 'Test' && String(msg).startsWith('xxx');
    const written = logLines(server.log, {}).filter(isTest).length;
    expect(written).toBeGreaterThan(10_000);
    expect(written).toBeLessThan(80_000);

    // It has lost its reader.
    server.process.stdout?.destroy();
    for (let number = 0; number < 5; number++) await server.call('get', '/openapi.json').expect(200);
    expect(await server.end()).toBe(0);
  });
});

describe('a server whose log', () => {
  let folder: string;

  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'log-test-'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  it('goes to a file writes all lines', async () => {
    const file = path.join(folder, 'log');
    const handle = await open(file, 'w');
    const child = spawn(process.execPath, [path.resolve('dist/main.js')], {
      cwd: folder,
      env: { PATH: process.env['PATH'], PORT: '0', HOST: '127.0.0.1', MONGODB_URI: testDatabaseUri(), ...compileCache },
      stdio: ['ignore', handle.fd, 'inherit'],
    });
    await handle.close();
    await eventually('ready', async () => (await readFile(file, 'utf8')).includes('"msg":"Ready"'), 20);
    child.kill('SIGTERM');
    expect((await once(child, 'exit'))[0]).toBe(0);
    expect(logLines(await readFile(file, 'utf8'), { msg: 'Stopped' })).toHaveLength(1);
  });
});
