import { execFile } from 'node:child_process';
import { cp, mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';

const root = path.resolve(__dirname, '../..');
const run = promisify(execFile);

/** Packs the TypeScript client and installs it in a folder, as a partner does. Returns the files of the package. */
export async function installClient(folder: string): Promise<string[]> {
  // Builds a copy, so that tests do not change the folder that others read.
  const copy = path.join(folder, 'clone/clients/typescript');
  await mkdir(path.dirname(copy), { recursive: true });
  await symlink(path.join(root, 'node_modules'), path.join(folder, 'clone/node_modules'));
  await cp(path.join(root, 'clients/typescript'), copy, { recursive: true });
  await rm(path.join(copy, 'dist'), { recursive: true, force: true });
  // The copy has the generated files, too.
  await writeFile(path.join(folder, 'clone/package.json'), JSON.stringify({ scripts: { generate: '' } }));
  const env = { ...process.env, PATH: `${path.join(root, 'node_modules/.bin')}:${process.env['PATH']}` };
  const pack = ['pack', '--json', '--foreground-scripts=false', '--pack-destination', folder];
  const { stdout } = await run('npm', pack, { cwd: copy, env });
  const [{ filename, files }] = JSON.parse(stdout) as [{ filename: string; files: { path: string }[] }];
  await writeFile(path.join(folder, 'package.json'), JSON.stringify({ type: 'module', private: true }));
  const options = ['--offline', '--ignore-scripts', '--no-audit', '--no-fund'];
  await run('npm', ['install', ...options, path.join(folder, filename)], { cwd: folder, env });
  return files.map((file) => file.path);
}
