import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { logLines, preload } from '../support/preload.js';
import { api } from '../support/organization.js';
import { eventually, findProcesses } from '../support/processes.js';
import { ServerProcess } from '../support/server-process.js';
import { RunningServer } from '../support/server.js';
import { testDatabaseUri } from '../support/test-database.js';

const fault = `const fault = () => {
  const root = Object.assign(new Error('the disk is full'), { code: 'ENOSPC', secret: ['hunter', 2].join('') });
  return new TypeError('it broke', { cause: new Error('no page', { cause: root }) });
};`;

describe('an unhandled error', () => {
  let server: RunningServer | undefined;

  afterEach(async () => {
    await server?.stop();
    server = undefined;
  });

  it('is logged in one fatal line with all causes, and the server exits with 1', async () => {
    server = await RunningServer.start(preload(`${fault} process.on('SIGUSR2', () => void Promise.reject(fault()));`));
    expect(await server.end('SIGUSR2')).toBe(1);
    const [line, ...more] = logLines(server.log, { level: 'fatal' });
    expect(more).toEqual([]);
    expect(line).toEqual({
      level: 'fatal',
      time: expect.any(String) as string,
      msg: 'Unhandled error: the server exits',
      err: {
        type: 'TypeError',
        message: 'it broke: no page: the disk is full',
        stack: expect.stringMatching(
          /^TypeError: it broke\n {4}at [^]*caused by: Error: no page\n {4}at [^]*caused by: Error: the disk is full\n {4}at /,
        ) as string,
      },
    });
    expect(server.log).not.toContain('hunter2');
    // Only the line, without other text.
    expect(server.log.split('\n').filter((each) => each !== '' && !each.startsWith('{'))).toEqual([]);
  });

  it('is logged, too, if it is not an Error or occurs during the shutdown', async () => {
    server = await RunningServer.start({
      ...preload(`process.on('SIGTERM', () => setTimeout(() => { throw null; }, 50));`),
      STOP_DELAY_SECONDS: '5',
    });
    expect(await server.end('SIGTERM')).toBe(1);
    expect(logLines(server.log, { level: 'fatal' })).toMatchObject([{ err: { type: 'object', message: 'null' } }]);
  });

  it('at startup is handled in the same way', async () => {
    const code = `import http from 'node:http'; http.Server.prototype.listen = () => { throw new Error('it broke'); };`;
    const started = await ServerProcess.spawn({ MONGODB_URI: testDatabaseUri(), ...preload(code) });
    expect(await started.ended).toBe(1);
    expect(logLines(started.log, { level: 'fatal' })).toMatchObject([{ err: { message: 'it broke' } }]);
    await started.remove();
  });
});

describe('a server with an embedded database', () => {
  let folder: string;

  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'faults-test-'));
  });
  afterEach(async () => {
    await eventually('no process is left', () => findProcesses(folder).length === 0);
    await rm(folder, { recursive: true, force: true });
  });

  it('takes its mongod with it when it is killed; the next one has its data, and exits with the reason when its mongod is killed', async () => {
    await (await RunningServer.startEmbedded(folder)).end('SIGKILL');
    const next = await RunningServer.startEmbedded(folder);
    const [, key = ''] = /^DEMO_API_KEY=(.+)$/m.exec(await readFile(path.join(folder, '.data/demo.env'), 'utf8')) ?? [];
    const teams = await next.call('get', `${api}/teams`).set('Authorization', `Bearer ${key}`).expect(200);
    expect((teams.body as { total: number }).total).toBeGreaterThan(0);
    expect(next.log).not.toContain('Created the demo data');

    process.kill(findProcesses(folder)[0]?.pid ?? 0, 'SIGKILL');
    await eventually('the exit', () => next.process.exitCode !== null);
    expect(next.process.exitCode).toBe(1);
    expect(logLines(next.log, { level: 'fatal' })).toMatchObject([
      { err: { message: expect.stringContaining('The embedded MongoDB ended unexpectedly') as string } },
    ]);
    expect(findProcesses(folder)).toEqual([]);
  });
});
