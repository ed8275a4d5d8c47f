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
