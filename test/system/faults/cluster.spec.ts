import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Cluster } from '../../../scripts/cluster/cluster.js';
import { eventually, findProcesses } from '../../support/processes.js';

/** Starts a small cluster in a folder, writes `started` and keeps running. */
const starter = `
  const { Cluster } = await import(process.argv[1]);
  await Cluster.start({ folder: process.argv[2], members: 1, servers: 1, proxy: false });
  process.stdout.write('started');
`;
const program = path.resolve(__dirname, '../../../scripts/cluster/cluster.js');

describe('a cluster', () => {
  let parent: string;
  let folder: string;
  beforeEach(async () => {
    parent = await mkdtemp(path.join(tmpdir(), 'cluster-test-'));
    folder = path.join(parent, 'cluster');
  });
  afterEach(() => rm(parent, { recursive: true, force: true }));

  it('can kill, pause and restart each process, and removes everything at the end', async () => {
    const unexpected: string[] = [];
    const cluster = await Cluster.start({
      folder,
      environment: { STOP_DELAY_SECONDS: '0' },
      onUnexpectedExit: ({ name }) => unexpected.push(name),
    });
    try {
      expect(cluster.processes.map(({ name }) => name)).toEqual([
        'mongod-1',
        'mongod-2',
        'mongod-3',
        'redis',
        'server-1',
        'server-2',
        'proxy',
      ]);
      const first = await cluster.primary();
      first.hang();
      const second = await cluster.primary();
      expect(second.name).not.toBe(first.name);
      first.resume();

      expect(await second.kill()).toEqual({ code: null, signal: 'SIGKILL' });
      expect(second.isRunning).toBe(false);
      expect((await cluster.primary()).name).not.toBe(second.name);
      await second.start();

      const [server] = cluster.servers;
      expect(await server?.stop()).toEqual({ code: 0, signal: null });
      await server?.start();
      expect((await fetch(`${String(server?.url)}/health/ready`)).status).toBe(200);

      expect(unexpected).toEqual([]);
      process.kill(cluster.redis?.pid ?? 0, 'SIGKILL');
      await eventually('the exit of Redis is reported', () => unexpected.length > 0, 30);
      expect(unexpected).toEqual(['redis']);
    } finally {
      await cluster.stop();
    }
    expect(unexpected).toEqual(['redis']);
    expect(findProcesses(folder)).toEqual([]);
    expect(existsSync(folder)).toBe(false);
  });

  it('ends with the process that started it, even if that is killed', async () => {
    const command = ['--input-type=module', '--eval', starter, program, folder];
    const starting = spawn(process.execPath, command, { stdio: ['ignore', 'pipe', 'inherit'] });
    await new Promise((resolve) => starting.stdout.once('data', resolve));
    expect(findProcesses(folder).length).toBeGreaterThan(2);

    starting.kill('SIGKILL');

    await eventually('nothing is left', () => findProcesses(folder).length === 0 && !existsSync(folder), 30);
  });

  it('rejects a folder that is not empty', async () => {
    await expect(Cluster.start({ folder: __dirname })).rejects.toThrow('is not empty');
    expect(existsSync(__filename)).toBe(true);
  });
});
