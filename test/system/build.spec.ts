import { execFile, execFileSync } from 'node:child_process';
import { access, copyFile, mkdir, mkdtemp, readFile, rm, unlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

const root = path.resolve(__dirname, '../..');

/** Replaces `nest build`: keeps what `dist` contains, and counts the builds. */
const compiler = `#!/bin/sh
mkdir -p dist && cp src/* dist && echo >> builds`;
const pages = `import { mkdirSync, writeFileSync } from 'node:fs';
mkdirSync('dist/pages/console', { recursive: true });
writeFileSync('dist/pages/console/index.html', '');`;
const generator = `import { writeFileSync } from 'node:fs';
writeFileSync('generated.ts', '');`;
const pageSources = [
  ...['clients/typescript/README.md', 'console/index.html', 'docs/errors.md', 'docs/integration-guide/webhooks.md'],
  ...['docs/llms.txt', 'openapi/public.json'],
];

describe('npm run build', () => {
  let folder: string;
  let environment: { SOURCE_COMMIT?: string; NODE_OPTIONS?: string };
  let errors: string;

  const write = (file: string, text: string) => writeFile(path.join(folder, file), text);

  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'build-'));
    environment = {};
    for (const name of [
      'clients/typescript/src',
      'examples',
      'src',
      'scripts',
      'node_modules/.bin',
      'console/src',
      'docs/integration-guide',
      'openapi',
    ])
      await mkdir(path.join(folder, name), { recursive: true });
    await copyFile(path.join(root, 'scripts/build.js'), path.join(folder, 'scripts/build.js'));
    await writeFile(path.join(folder, 'node_modules/.bin/nest'), compiler, { mode: 0o755 });
    await write('scripts/generate.js', generator);
    await write('scripts/pages.js', pages);
    await write('package.json', '{ "type": "module", "engines": { "node": ">=24.7" } }');
    for (const name of [
      'nest-cli.json',
      'openapi/admin.json',
      'package-lock.json',
      'tsconfig.json',
      'tsconfig.build.json',
    ])
      await write(name, '{}');
    for (const name of [
      'openapi-ts.config.js',
      'scripts/documents.js',
      'src/main.ts',
      'src/main.spec.ts',
      ...pageSources,
    ])
      await write(name, '');
  });

  afterEach(() => rm(folder, { recursive: true }));

  /** Returns the exit code. */
  const build = (...given: string[]) =>
    new Promise<number>((resolve) => {
      const file = path.join(folder, 'scripts/build.js');
      const env = { ...process.env, ...environment };
      const child = execFile(process.execPath, [file, ...given], { cwd: tmpdir(), env }, (_error, _stdout, stderr) => {
        errors = stderr;
      });
      child.once('close', (code) => resolve(code ?? -1));
    });
  const builds = async () => (await readFile(path.join(folder, 'builds'), 'utf8')).length;

  it('always builds', async () => {
    expect([await build(), await build()]).toEqual([0, 0]);
    expect(await builds()).toBe(2);
  });

  it('builds once with --if-changed, until something changes', async () => {
    for (const given of [[], ['--if-changed'], ['--if-changed']]) expect(await build(...given)).toBe(0);
    // Tests are not compiled.
    await write('src/main.spec.ts', 'changed');
    expect(await build('--if-changed')).toBe(0);
    expect(await builds()).toBe(1);
  });

  it.each<[what: string, change: () => Promise<void>]>([
    ['a new source', () => write('src/new.ts', '')],
    ['the lock file', () => write('package-lock.json', '{ "lockfileVersion": 3 }')],
    ['a page of the console', () => write('console/src/page.tsx', '')],
    ['a missing page', () => rm(path.join(folder, 'dist/pages/console'), { recursive: true })],
    ['an unknown file in dist', () => write('dist/main.ts', 'compiled by something else')],
  ])('builds again with --if-changed after a change: %s', async (_what, change) => {
    await build();
    await change();
    await build('--if-changed');
    expect(await builds()).toBe(2);
  });

  it('removes the output of a deleted source', async () => {
    await write('src/old.ts', '');
    await build();
    await unlink(path.join(folder, 'src/old.ts'));
    await build('--if-changed');
    await expect(access(path.join(folder, 'dist/old.ts'))).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it('records the commit of SOURCE_COMMIT or of Git, also if only that has changed', async () => {
    const recorded = async () => {
      await build('--if-changed');
      return (JSON.parse(await readFile(path.join(folder, 'dist/build.json'), 'utf8')) as { commit: string }).commit;
    };
    expect(await recorded()).toBe('unknown');
    environment = { SOURCE_COMMIT: '8441e71'.padEnd(40, '0') };
    expect(await recorded()).toBe('8441e7100000');
    environment = {};
    const git = (...given: string[]) => execFileSync('git', given, { cwd: folder, encoding: 'utf8' }).trim();
    await write('.gitignore', 'dist\nbuilds\nnode_modules');
    git('init', '--quiet');
    git('add', '.');
    git('-c', 'user.name=test', '-c', 'user.email=test@example.com', 'commit', '--quiet', '--message', 'test');
    const head = git('rev-parse', '--short=12', 'HEAD');
    expect(await recorded()).toBe(head);
    await write('src/main.ts', 'changed');
    expect(await recorded()).toBe(`${head}-dirty`);
  });

  it('fails on a version of Node that is too old', async () => {
    const older = `Object.defineProperty(process, 'versions', { value: { node: '24.6.0' } });`;
    environment = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(older)}` };
    expect(await build()).toBe(1);
    expect(errors).toMatch(/^Node\.js 24\.6\.0 is too old\. .* install 24\.7 or later\.\n$/);
  });

  it('builds again if a source changed during the build', async () => {
    await write('scripts/pages.js', `${pages}\nwriteFileSync('src/main.ts', 'changed');`);
    await build('--if-changed');
    await build('--if-changed');
    await build('--if-changed');
    expect(await builds()).toBe(2);
  });
});
