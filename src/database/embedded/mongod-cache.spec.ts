import { spawnSync } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { cacheFolders, keepMongod, keptMongods, makeFetchFolder, newestFirst } from './mongod-cache.js';

describe('keeping a fetched mongod', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(path.join(os.tmpdir(), 'cache-test-'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  it('finds it again, the newest version first, and nothing half fetched', async () => {
    for (const version of ['6.0.5', '7.0.9', '7.0.28']) {
      const fetchFolder = await makeFetchFolder([folder]);
      await writeFile(path.join(fetchFolder, 'mongod'), version);
      await keepMongod(path.join(fetchFolder, 'mongod'), fetchFolder, version);
    }
    const killedInTheMiddle = await makeFetchFolder([folder]);
    await writeFile(path.join(killedInTheMiddle, 'mongod-9.0.0'), 'half');
    const names = (await keptMongods([folder])).map((file) => path.relative(folder, file));
    expect(names).toEqual(['mongod-7.0.28', 'mongod-7.0.9', 'mongod-6.0.5']);
  });

  it('takes the next folder where the first cannot be used', async () => {
    const occupied = path.join(folder, 'occupied');
    await writeFile(occupied, '');
    const usable = path.join(folder, 'usable');
    expect(path.dirname(await makeFetchFolder([occupied, usable]))).toBe(usable);
    await expect(makeFetchFolder([occupied])).rejects.toThrow('no folder to keep it in');
  });

  it('trusts no folder that others may write to', async () => {
    await writeFile(path.join(folder, 'mongod-7.0.28'), 'planted');
    await chmod(folder, 0o777);
    expect(await keptMongods([folder])).toEqual([]);
    await expect(makeFetchFolder([folder])).rejects.toThrow('others may write to it');
  });

  it('clears away what killed servers have left, and leaves alone what another server fetches just now', async () => {
    const ended = spawnSync(process.execPath, ['--version']).pid;
    const names = [`fetching-${ended}-killed`, `fetching-${process.ppid}-old`, `fetching-${process.ppid}-new`];
    for (const name of names) await mkdir(path.join(folder, name));
    const twoHoursAgo = Date.now() / 1000 - 7200;
    await utimes(path.join(folder, `fetching-${process.ppid}-old`), twoHoursAgo, twoHoursAgo);
    const made = await makeFetchFolder([folder]);
    expect((await readdir(folder)).sort()).toEqual([`fetching-${process.ppid}-new`, path.basename(made)].sort());
  });

  it('finds nothing in folders that are not there', async () => {
    expect(await keptMongods([path.join(folder, 'missing')])).toEqual([]);
  });
});

describe('the places to keep it', () => {
  it('are whole paths of this user', () => {
    expect(cacheFolders().every((folder) => path.isAbsolute(folder))).toBe(true);
    expect(cacheFolders().length).toBeGreaterThan(0);
  });

  it('order versions by number, not by letter', () => {
    expect(['mongod-6.0.10', 'mongod-6.0.9', 'mongod-10.0.0'].sort(newestFirst)).toEqual([
      'mongod-10.0.0',
      'mongod-6.0.10',
      'mongod-6.0.9',
    ]);
  });
});
