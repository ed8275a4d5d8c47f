import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { installClient } from '../support/client-package.js';
import { createGame, expectKeptScore, qbRow } from '../support/game.js';
import { createOrganization, TestOrganization } from '../support/organization.js';
import { RunningServer } from '../support/server.js';

const root = path.resolve(__dirname, '../..');
const source = path.join(root, 'clients/typescript');
const files = path.join(source, 'test/files');
const run = promisify(execFile);

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

const fromCommonJs = `
import { createClient } from 'flag-football-client';
const client = createClient({ baseUrl: process.env['API'] ?? '', apiKey: process.env['API_KEY'] ?? '' });
void client.teams.list().then(({ total }) => console.log(total));`;

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

const server = RunningServer.forTests();
/** The folder of a partner. */
let folder: string;
let packedFiles: string[];

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'client-package-'));
  packedFiles = await installClient(folder);
}, 60_000);
afterAll(() => rm(folder, { recursive: true, force: true }));

const environmentOf = ({ key: { apiKey } }: TestOrganization) => {
  return { PATH: process.env['PATH'], API: `${server.url}/v1/public-api`, API_KEY: apiKey };
};

describe('the package of the TypeScript client', () => {
  /** The errors of the compiler. */
  let errors: string[];
  const setup = [
    "import { createClient, isError } from 'flag-football-client';",
    "const client = createClient({ apiKey: '', baseUrl: '' });",
    'console.log(isError, client);',
  ];

  /** Compiles programs as a strict project of a partner does. */
  beforeAll(async () => {
    const readme = await readFile(path.join(source, 'README.md'), 'utf8');
    const programs = {
      'program.ts': (/^```ts\n([^]*?)^```$/m.exec(readme)?.[1] ?? '') + results,
      'scorekeeper.mts': await readFile(path.join(root, 'examples/scorekeeper.mts'), 'utf8'),
      'program.cts': fromCommonJs,
      'mistakes.ts': [...setup, ...mistakes.map(([, statement]) => statement)].join('\n'),
    };
    for (const [file, text] of Object.entries(programs)) await writeFile(path.join(folder, file), text);
    const compilerOptions = {
      ...{ strict: true, exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true, skipLibCheck: false },
      ...{ target: 'es2022', module: 'nodenext', outDir: folder },
      ...{ types: ['node'], typeRoots: [path.join(root, 'node_modules/@types')], lib: ['es2022'] },
    };
    const project = JSON.stringify({ compilerOptions, files: Object.keys(programs) });
    await writeFile(path.join(folder, 'tsconfig.json'), project);
    const tsc = [path.join(root, 'node_modules/typescript/bin/tsc'), '-p', '.'];
    const { stdout } = await run(process.execPath, tsc, { cwd: folder }).catch((error: unknown) => error as Output);
    errors = stdout.split('\n').filter((line) => /^\S/.test(line));
  }, 60_000);

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

  it('compiles in a strict project for Node, as modules and CommonJS', () => {
    expect(errors.filter((line) => !line.startsWith('mistakes.ts('))).toEqual([]);
  });

  it('compiles only what the API accepts', () => {
    const found = mistakes.map(([name, , part], index) => {
      const line = errors.find((each) => each.startsWith(`mistakes.ts(${index + 1 + setup.length},`));
      return line?.includes(part) ? name : `${name}: ${String(line)}`;
    });
    expect(found).toEqual(mistakes.map(([name]) => name));
    expect(errors).toHaveLength(mistakes.length);
  });

  it('does what the README shows', async () => {
    const organization = await createOrganization(server);
    await organization.season();
    const options = { env: environmentOf(organization) };
    const { stdout } = await run(process.execPath, [path.join(folder, 'program.js')], options);
    expect(stdout.split('\n')[0]).toBe('Jordan Lee');
    const response = await organization.call('get', '/teams').expect(200);
    expect(response.body).toMatchObject({ total: 1, data: [{ name: 'Lakeside Owls', ageGroup: '12U', revision: 2 }] });
  });

  it('writes the score and the statistics of one side in the scorekeeper', async () => {
    const game = await createGame(server);
    await game.write([qbRow(game.awayPlayer, 9)]);
    const words = ['scorekeeper.mjs', game.schedule._id, game.home._id];
    const options = { cwd: folder, env: environmentOf(game.organization) };
    for (let time = 0; time < 2; time++) await run(process.execPath, words, options);
    await expectKeptScore(game);
  });

  it('works from CommonJS: with require, TypeScript and Jest', async () => {
    const options = { cwd: folder, env: environmentOf(await createOrganization(server)) };
    expect((await run(process.execPath, ['program.cjs'], options)).stdout).toBe('0\n');
    const loaded = "require('flag-football-client').createClient({ apiKey: 'key', baseUrl: 'http://localhost' })";
    await writeFile(
      path.join(folder, 'client.test.cjs'),
      `test('loads', () => expect(${loaded}.teams).toBeDefined());`,
    );
    const jest = path.join(root, 'node_modules/jest/bin/jest.js');
    await run(process.execPath, [jest, '--rootDir', folder, '--testMatch', '**/*.test.cjs'], { cwd: folder });
  });
});

interface Output {
  stdout: string;
  stderr: string;
  code: number;
}
interface Outcome {
  code: number;
  lines: string[];
  problem: string;
}

describe('flag-football import of the TypeScript client', () => {
  const organization = TestOrganization.forTests(server);
  let team: string;

  beforeEach(async () => {
    team = (await organization.team())._id;
  });

  /** Runs the command of the guide, which `npx` would run. */
  async function runCommand(words: string[], variables = {}): Promise<Outcome> {
    const env = { HOME: folder, ...environmentOf(organization), ...variables };
    const command = path.join(folder, 'node_modules/.bin/flag-football');
    const { stdout, stderr, code } = await run(command, words, { cwd: folder, env }).then(
      (output) => ({ ...output, code: 0 }),
      (error: unknown) => error as Output,
    );
    return { code, lines: stdout.trimEnd().split('\n'), problem: stderr };
  }

  /** Imports players of the team. */
  async function importPlayers(content: string | Buffer, options: string[] = [], variables = {}): Promise<Outcome> {
    await writeFile(path.join(folder, 'players.csv'), content);
    return runCommand(['import', 'players', 'players.csv', '--team', team, ...options], variables);
  }

  async function listPlayers(): Promise<Record<string, unknown>[]> {
    const response = await organization.call('get', `/teams/${team}/players?limit=100`).expect(200);
    return (response.body as { data: Record<string, unknown>[] }).data;
  }

  it('sends 1,250 rows, says how far it is, and writes those that fail to be corrected and sent again', async () => {
    const rows = Array.from(
      { length: 1_250 },
      (_, index) => `member ${index + 1},"Player, ${index + 1}",${index % 100}`,
    );
    rows[149] = 'member 150,"Player, 150",12345';
    const file = ['externalId,name,jersey #', ...rows].join('\n');
    const failed =
      'Line 151, member 150: failed: jersey # "12345": jerseyNumber must be a string of 1 to 4 visible characters (40001)';
    const dryRun = await importPlayers(file, ['--dry-run']);
    expect(dryRun).toMatchObject({ code: 1, problem: '1000 rows …\n' });
    expect(dryRun.lines.slice(1)).toEqual([
      ...rows.map((_, index) => (index === 149 ? failed : `Line ${index + 2}, member ${index + 1}: created`)),
      '1250 rows: 1249 created, 1 failed (dry run, nothing was written)',
    ]);
    expect(await listPlayers()).toEqual([]);
    expect((await importPlayers(file, ['--failed', 'failed.csv'])).code).toBe(1);
    const again = await readFile(path.join(folder, 'failed.csv'), 'utf8');
    const reason = failed.slice(failed.indexOf('jersey #')).replaceAll('"', '""');
    expect(again).toBe(
      `\uFEFFexternalId,name,jersey #,Import problem\r\nmember 150,"Player, 150",12345,"${reason}"\r\n`,
    );
    await writeFile(path.join(folder, 'failed.csv'), again.replace(',12345', ',45'));
    const corrected = ['import', 'players', 'failed.csv', '--team', team, '--failed', 'failed-again.csv'];
    expect(await runCommand(corrected)).toMatchObject({
      code: 0,
      lines: [expect.anything(), 'Line 2, member 150: created', '1 rows: 1 created'],
    });
    expect(await readFile(path.join(folder, 'failed-again.csv'), 'utf8')).toBe(
      '\uFEFFexternalId,name,jersey #,Import problem\r\n',
    );
  });

  it('keeps the rows that failed earlier if nothing is sent, and names rows to send again with those that are wrong', async () => {
    const failed = path.join(folder, 'failed.csv');
    await writeFile(failed, 'of an earlier import');
    const same = await importPlayers('ID,Name\n1,A', ['--failed', './players.csv']);
    expect(same).toMatchObject({ code: 2, problem: '--failed is the imported file itself: name another one.\n' });
    expect(await readFile(path.join(folder, 'players.csv'), 'utf8')).toBe('ID,Name\n1,A');
    // The columns are printed before anything is sent.
    const unknown = await importPlayers('ID,Name,Age\n1,A,9', ['--failed', 'failed.csv'], { API_KEY: 'unknown' });
    const columns = ['Columns: "ID" → externalId, "Name" → name.', 'Not imported: "Age".'];
    expect(unknown).toMatchObject({ code: 2, lines: columns });
    expect(await readFile(failed, 'utf8')).toBe('of an earlier import');
    const { _id: game } = await organization.schedule(team);
    await importPlayers('ID,Name\n1,A\n2,B');
    await writeFile(path.join(folder, 'sheet.csv'), 'Player,FP\nA,1\nB,x\nTotals,1\n');
    const sheet = ['import', 'statistics', 'sheet.csv', '--schedule', game, '--failed', 'failed.csv'];
    expect((await runCommand(sheet)).code).toBe(2);
    const rows = ['Player,FP,Import problem', 'A,1,another row is wrong', 'B,x,"FP ""x"" is not a number"', ''];
    expect(await readFile(failed, 'utf8')).toBe(`\uFEFF${rows.join('\r\n')}`);
  });

  it('reads a sheet of a workbook if the library is there, and says how to get it otherwise', async () => {
    const words = ['import', 'players', path.join(files, 'roster-06-threestep.xlsx'), '--team', team];
    const options = ['--id-from', 'Athlete First Name,Athlete DOB', '--sheet', 'Roster'];
    expect(await runCommand([...words, ...options])).toMatchObject({
      code: 2,
      problem: 'To read workbooks, install the library: npm install read-excel-file@9\n',
    });
    await symlink(path.join(root, 'node_modules/read-excel-file'), path.join(folder, 'node_modules/read-excel-file'));
    expect((await runCommand([...words, ...options])).lines.at(-1)).toBe('2 rows: 2 created');
    const { _id: season } = await organization.season();
    const games = ['import', 'schedules', words[2] ?? '', '--sheet', 'Games', '--zone', 'ET'];
    expect((await runCommand([...games, '--season', season, '--create-teams'])).lines.slice(1)).toEqual([
      `The team "Lakeside Owls" (lakeside-owls.open@${season}) is created.`,
      `The team "Bay Hawks" (bay-hawks.open@${season}) is created.`,
      ...['Line 2, Lakeside Owls – Bay Hawks: created', '1 rows: 1 created'],
    ]);
  });

  it('reads every option', async () => {
    await writeFile(path.join(folder, 'map.json'), JSON.stringify({ Nr: 'externalId', Nom: 'name' }));
    const content = Buffer.from('ID;Name\nNr;Nom;\n1;Zo\xeb\n', 'latin1');
    const options = ['--map', 'map.json', '--encoding', 'windows-1252', '--skip-rows', '1'];
    expect((await importPlayers(content, options)).lines.at(-1)).toBe('1 rows: 1 created');
    expect(await listPlayers()).toMatchObject([{ name: 'Zoë' }]);
    await writeFile(path.join(folder, 'games.csv'), 'Date,Time,Opponent\n9/6/2026,6:30 PM,Foxes\n');
    const games = ['import', 'schedules', 'games.csv', '--team', team, '--dates', 'dmy', '--zone', 'Pacific'];
    expect((await runCommand(games)).lines.slice(1)).toEqual(['Line 2, Hawks – Foxes: created', '1 rows: 1 created']);
    const response = await organization.call('get', `/schedules?teamId=${team}`).expect(200);
    const [game] = (response.body as { data: { _id: string; startDate: string }[] }).data;
    expect(game?.startDate).toBe('2026-06-10T01:30:00.000Z');
    await writeFile(path.join(folder, 'sheet.csv'), 'Player,Rec,Tgt\nZoe,3,\n');
    const sheet = ['import', 'statistics', 'sheet.csv', '--schedule', game?._id ?? ''];
    expect((await runCommand([...sheet, '--zero-blanks', '--dry-run'])).lines.at(-1)).toContain('1 created (dry run');
  });

  it.each<[string, string | Buffer, string[], Record<string, string>, string]>([
    ['no known column', 'A,B\n1,2', [], {}, 'The file has no header with a known name.'],
    ['no API key', 'ID\n1', [], { API_KEY: '' }, 'Set the environment variables API and API_KEY.'],
    ['an unknown time zone', 'ID\n1', ['--zone', 'CEST'], {}, '--zone CEST is unknown.'],
    ['an unknown option', 'ID\n1', ['--teams'], {}, "Unknown option '--teams'"],
    ['another argument', 'ID\n1', ['another.csv'], {}, 'Usage: flag-football import'],
  ])('sends nothing with %s, and exits with 2', async (_name, content, options, variables, message) => {
    const { code, problem } = await importPlayers(content, options, variables);
    expect(code).toBe(2);
    expect(problem).toContain(message);
    expect(await listPlayers()).toEqual([]);
  });

  it('shows its usage', async () => {
    const { code, lines } = await runCommand(['--help']);
    expect([code, lines[0]]).toEqual([0, 'Usage: flag-football import players|schedules|statistics FILE [options]']);
  });

  it('copies all that was imported into another organization, once', async () => {
    const variables = { TO_API_KEY: (await createOrganization(server)).key.apiKey };
    const first = await runCommand(['copy'], variables);
    expect(first).toMatchObject({ code: 0, problem: '' });
    expect(first.lines.at(-1)).toBe('Nothing differs.');
    expect(first.lines).toContainEqual(
      expect.stringMatching(/^players: 1[0-9]{3}, of which 1[0-9]{3} are new or changed$/),
    );
    const { lines } = await runCommand(['copy'], variables);
    expect(lines.slice(0, -1).filter((line) => !line.endsWith('of which 0 are new or changed'))).toEqual([]);
    const problem = 'Set the environment variables API and TO_API_KEY.\n';
    expect(await runCommand(['copy'])).toMatchObject({ code: 2, problem });
  });
});
