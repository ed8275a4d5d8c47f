import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { copyFile, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';

const root = path.resolve(__dirname, '../..');
const run = promisify(execFile);

/**
 * Returns the command of a program in `examples`, copied to the folder as to a partner's: with the package.json of
 * `npm init -y` and the packages.
 */
export async function commandOfExample(name: string, folder: string): Promise<[string, string]> {
  const file = path.join(root, 'examples', name);
  if (name.endsWith('.py')) return ['python3', file];
  const packages = path.join(folder, 'node_modules');
  if (!existsSync(packages)) await symlink(path.join(root, 'node_modules'), packages);
  await writeFile(path.join(folder, 'package.json'), '{ "type": "commonjs" }');
  const copy = path.join(folder, path.basename(name));
  await copyFile(file, copy);
  return [process.execPath, copy];
}

/** Returns the environment of a Python program that imports a package. Installs it into the folder if it is missing. */
export async function withPythonPackage(name: string, version: string, folder: string): Promise<NodeJS.ProcessEnv> {
  const environment = { PATH: process.env['PATH'], PYTHONPATH: process.env['PYTHONPATH'] };
  const isInstalled = await run('python3', ['-c', `import ${name}`], { env: environment }).then(
    () => true,
    () => false,
  );
  if (isInstalled) return environment;
  const target = path.join(folder, 'python');
  const options = ['--quiet', '--disable-pip-version-check', '--target', target];
  await run('python3', ['-m', 'pip', 'install', ...options, `${name}==${version}`]);
  return { ...environment, PYTHONPATH: target };
}
