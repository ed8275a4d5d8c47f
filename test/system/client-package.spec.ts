import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { installClient } from '../support/client-package.js';
import { createGame, expectKeptScore, qbRow } from '../support/game.js';
import { createOrganization } from '../support/organization.js';
import { RunningServer } from '../support/server.js';

const root = path.resolve(__dirname, '../..');
const source = path.join(root, 'clients/typescript');
const run = promisify(execFile);
const tsc = (cwd: string, ...options: string[]) =>
  run(process.execPath, [path.join(root, 'node_modules/typescript/bin/tsc'), ...options], { cwd });

/** Type-checks what `await` and `for await` return. */
const results = `
import type { ChangeResponse, TeamListResponse, TeamResponse } from 'flag-football-client';
export async function read(teamId: string): Promise<[TeamListResponse, TeamResponse[], TeamResponse, TeamResponse]> {
  const rows: TeamResponse[] = [];
  for await (const row of client.teams.list({ query: { isArchived: false } })) rows.push(row);
  const changes: ChangeResponse[] = [];
  for await (const change of client.changes.list()) changes.push(change);
  const read = await client.teams.get({ path: { teamId }, ifNoneMatch: { revision: 1 } });
  const updated = await client.teams.update({ path: { teamId }, body: {}, ifMatch: read });
  return [await client.teams.list(), rows, read, updated];
}`;

/** Statements that must not compile, and the part of the message that names the mistake. */
const mistakes: [string, string, string][] = [
  ['an unknown field', "await client.teams.create({ body: { name: 'Owls', season: '…', nickname: '' } });", 'nickname'],
  ['a missing parameter', 'await client.players.list({ path: {} });', 'teamId'],
  [
    'an idem-key for an update',
    "await client.teams.update({ path: { teamId: '' }, body: {}, idemKey: 'key' });",
    'idemKey',
  ],
  [
    'an iteration of one record',
    "for await (const team of client.teams.get({ path: { teamId: '' } })) console.log(team);",
    'asyncIterator',
  ],
  ['an unknown error code', 'console.log(isError(new Error(), 40999));', '40999'],
];

describe('the package of the TypeScript client', () => {
  let folder: string;
  let example: string;
  let packedFiles: string[];

  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'client-package-'));
    const readme = await readFile(path.join(source, 'README.md'), 'utf8');
    example = /^```ts\n([^]*?)^```$/m.exec(readme)?.[1] ?? '';
    packedFiles = await installClient(folder);
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  /** Compiles a program as a strict project of a partner does. */
  async function compile(program: string, { file, module } = { file: 'program.ts', module: 'nodenext' }) {
    await writeFile(path.join(folder, file), program);
    const compilerOptions = {
      ...{ strict: true, exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true, skipLibCheck: false },
      ...{ target: 'es2022', module, outDir: folder },
      ...{ types: ['node'], typeRoots: [path.join(root, 'node_modules/@types')], lib: ['es2022'] },
    };
    await writeFile(path.join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: [file] }));
    return tsc(folder, '-p', '.').then(
      () => '',
      (error: unknown) => (error as { stdout: string }).stdout,
    );
  }

  it('contains only the compiled files, README.md and LICENSE, depends on nothing, and states where it is from', async () => {
    const others = packedFiles.filter((file) => !/^dist\/[\w./-]+\.(js|d\.ts)$/.test(file));
    expect(others.sort()).toEqual(['LICENSE', 'README.md', 'dist/cjs/package.json', 'package.json']);
    expect(packedFiles).toEqual(expect.arrayContaining(['dist/index.js', 'dist/index.d.ts']));
    const file = await readFile(path.join(folder, 'node_modules/flag-football-client/package.json'), 'utf8');
    const installed: unknown = JSON.parse(file);
    expect(installed).not.toHaveProperty('dependencies');
    const repository = expect.objectContaining({ directory: 'clients/typescript' }) as unknown;
    expect(installed).toMatchObject({ license: 'MIT', repository, publishConfig: { provenance: true } });
  });

  it('compiles in a strict project for Node, and does what the README shows', async () => {
    expect(await compile(example + results)).toBe('');
    const server = await RunningServer.shared();
    try {
      const organization = await createOrganization(server);
      await organization.season();
      const compiled = path.join(folder, 'program.js');
      const env = { PATH: process.env['PATH'], API: `${server.url}/v1/public-api`, API_KEY: organization.key.apiKey };
      const { stdout } = await run(process.execPath, [compiled], { env });
      expect(stdout.split('\n')[0]).toBe('Jordan Lee');
      const response = await organization.call('get', '/teams').expect(200);
      expect(response.body).toMatchObject({
        total: 1,
        data: [{ name: 'Lakeside Owls', ageGroup: '12U', revision: 2 }],
      });
    } finally {
      await server.stop();
    }
  });

  it('compiles the scorekeeper, which writes the score and the statistics of one side', async () => {
    const program = await readFile(path.join(root, 'examples/scorekeeper.mts'), 'utf8');
    expect(await compile(program, { file: 'scorekeeper.mts', module: 'nodenext' })).toBe('');
    const server = await RunningServer.shared();
    try {
      const game = await createGame(server);
      await game.write([qbRow(game.awayPlayer, 9)]);
      const env = { PATH: process.env['PATH'], API: server.url, API_KEY: game.organization.key.apiKey };
      const words = ['scorekeeper.mjs', game.schedule._id, game.home._id];
      for (let time = 0; time < 2; time++) await run(process.execPath, words, { cwd: folder, env });
      await expectKeptScore(game);
    } finally {
      await server.stop();
    }
  });

  it('works from CommonJS: with require, TypeScript and Jest', async () => {
    const server = await RunningServer.shared();
    const { key } = await createOrganization(server);
    const program = `import { createClient } from 'flag-football-client';
      const client = createClient({ baseUrl: '${server.url}', apiKey: '${key.apiKey}' });
      void client.teams.list().then(({ total }) => console.log(total));`;
    expect(await compile(program, { file: 'program.cts', module: 'node16' })).toBe('');
    expect((await run(process.execPath, ['program.cjs'], { cwd: folder })).stdout).toBe('0\n');
    await server.stop();
    const loaded = "require('flag-football-client').createClient({ apiKey: 'key', baseUrl: 'http://localhost' })";
    await writeFile(
      path.join(folder, 'client.test.cjs'),
      `test('loads', () => expect(${loaded}.teams).toBeDefined());`,
    );
    const jest = path.join(root, 'node_modules/jest/bin/jest.js');
    await run(process.execPath, [jest, '--rootDir', folder, '--testMatch', '**/*.test.cjs'], { cwd: folder });
  });

  it('compiles only what the API accepts', async () => {
    const setup = [
      "import { createClient, isError } from 'flag-football-client';",
      "const client = createClient({ apiKey: '', baseUrl: '' });",
      'console.log(isError, client);',
    ];
    const output = await compile([...setup, ...mistakes.map(([, statement]) => statement)].join('\n'));
    const found = mistakes.map(([name, , part], index) => {
      const line = output.split('\n').find((each) => each.startsWith(`program.ts(${index + 1 + setup.length},`));
      return line?.includes(part) ? name : `${name}: ${String(line)}`;
    });
    expect(found).toEqual(mistakes.map(([name]) => name));
    expect(output.match(/^program\.ts\(/gm)).toHaveLength(mistakes.length);
  });
});
