import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { transformSync } from '@swc/core';

const root = path.resolve(__dirname, '../..');
const run = promisify(execFile);

/**
 * Returns the command of a program in `examples`. Node 20 does not run TypeScript, so it gets JavaScript with the types
 * removed, in the folder, which then has the packages.
 */
export async function commandOfExample(name: string, folder: string): Promise<[string, string]> {
  const file = path.join(root, 'examples', name);
  if (name.endsWith('.py')) return ['python3', file];
  if ('typescript' in process.features && process.features.typescript) return [process.execPath, file];
  const compiled = path.join(folder, `${path.basename(name, '.ts')}.mjs`);
  const jsc = { parser: { syntax: 'typescript' }, target: 'es2023' } as const;
  await writeFile(compiled, transformSync(readFileSync(file, 'utf8'), { jsc, module: { type: 'es6' } }).code);
  const packages = path.join(folder, 'node_modules');
  if (!existsSync(packages)) await symlink(path.join(root, 'node_modules'), packages);
  return [process.execPath, compiled];
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
