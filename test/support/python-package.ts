import { execFile } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { withPythonPackage } from './example-programs.js';

const run = promisify(execFile);
export const pythonClient = path.resolve(__dirname, '../../clients/python');

/**
 * Builds the Python client as for a release, and installs its wheel in a folder, as a partner does. Returns the environment of
 * programs that import it, the wheel, and the archive of its sources.
 */
export async function installPythonClient(folder: string) {
  const environment = { ...process.env, ...(await withPythonPackage('build', '1.6.1', folder)) };
  const packages = path.join(folder, 'packages');
  await run('python3', ['-m', 'build', '--outdir', packages, pythonClient], { env: environment });
  const files = (await readdir(packages)).sort().map((file) => path.join(packages, file));
  const [wheel = '', sources = ''] = files;
  const target = path.join(folder, 'installed');
  const options = ['--quiet', '--disable-pip-version-check', '--target', target];
  await run('python3', ['-m', 'pip', 'install', ...options, wheel]);
  return { environment: { PATH: process.env['PATH'], PYTHONPATH: target }, wheel, sources };
}
