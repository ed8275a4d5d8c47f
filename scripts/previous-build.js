import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/**
 * Builds another commit without its web pages into an empty folder, so that a test can run its server beside the present
 * one. Uses the installed packages if both commits have the same lock file.
 *
 *   [PREVIOUS_REF=v1.0.0] node_modules/.bin/node scripts/previous-build.js <folder>
 *
 * PREVIOUS_REF is the commit before the present one by default.
 */
const root = path.resolve(import.meta.dirname, '..');
const folder = path.resolve(process.argv[2] ?? '');
const ref = process.env.PREVIOUS_REF || 'HEAD^';

const { stdout, status } = spawnSync('git', ['rev-parse', '--quiet', '--verify', `${ref}^{commit}`], { cwd: root });
if (status !== 0) {
  console.error(
    `The commit ${ref} is not in this clone. Run "git fetch --deepen=1", or set PREVIOUS_REF to another one.`,
  );
  process.exit(1);
}
const commit = String(stdout).trim();
const files = execFileSync('git', ['archive', commit], { cwd: root, maxBuffer: 1e9 });
execFileSync('tar', ['-x', '-C', folder], { input: files });

const lockOf = (place) => readFileSync(path.join(place, 'package-lock.json'), 'utf8');
if (lockOf(folder) === lockOf(root)) {
  for (const name of ['node_modules', 'console/node_modules'])
    symlinkSync(path.join(root, name), path.join(folder, name));
} else {
  execFileSync('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], { cwd: folder, stdio: 'inherit' });
}
// Without checking types, which was done for that commit.
const compile = ['--project', 'tsconfig.build.json', '--noCheck'];
execFileSync(path.join(folder, 'node_modules/.bin/tsc'), compile, { cwd: folder, stdio: 'inherit' });
writeFileSync(path.join(folder, 'dist/build.json'), JSON.stringify({ commit }));
