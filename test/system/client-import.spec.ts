import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { installClient } from '../support/client-package.js';
import { TestOrganization } from '../support/organization.js';
import { RunningServer } from '../support/server.js';

interface Outcome {
  code: number;
  lines: string[];
  problem: string;
}

describe('flag-football import of the TypeScript client', () => {
  const server = RunningServer.forTests();
  const organization = TestOrganization.forTests(server);
  let folder: string;
  let team: string;

  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'client-import-'));
    await installClient(folder);
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));
  beforeEach(async () => {
    team = (await organization.team())._id;
  });

  /** Imports a file in the way that the README shows. */
  async function importFile(content: string | Buffer, options: string[] = [], variables = {}): Promise<Outcome> {
    await writeFile(path.join(folder, 'players.csv'), content);
    const words = ['flag-football', 'import', 'players.csv', '--team', team, ...options];
    const access = { API: `${server.url}/v1/public-api`, API_KEY: organization.key.apiKey };
    const env = { PATH: process.env['PATH'], HOME: folder, ...access, ...variables };
    const { stdout, stderr, code } = await promisify(execFile)('npx', words, { cwd: folder, env }).then(
      (output) => ({ ...output, code: 0 }),
      (error: unknown) => error as { stdout: string; stderr: string; code: number },
    );
    return { code, lines: stdout.trimEnd().split('\n'), problem: stderr };
  }

  async function listPlayers(): Promise<Record<string, unknown>[]> {
    const response = await organization.call('get', `/teams/${team}/players?limit=100`).expect(200);
    return (response.body as { data: Record<string, unknown>[] }).data;
  }

  it('creates the players of a file that Excel has written in German, and updates them', async () => {
    const header = '\uFEFFExternal ID;Name;Jersey number;Position;E-Mail;profile_picture\r\n';
    const first = 'member-1;"Lee; ""JJ"" Jordan";07;QB, WR;;\r\n';
    const created = await importFile(`${header}${first}member-2;Zoë Kim;;;zoe@example.com;\r\n;;;;;\r\n`);
    expect(created).toEqual({
      code: 0,
      lines: [
        'Line 2, member-1: created',
        'Line 3, member-2: created',
        '2 rows: 2 created, 0 updated, 0 unchanged, 0 deleted, 0 failed',
      ],
      problem: '',
    });
    expect(await listPlayers()).toMatchObject([
      { externalId: 'member-1', name: 'Lee; "JJ" Jordan', jerseyNumber: '07', position: ['QB', 'WR'] },
      { externalId: 'member-2', name: 'Zoë Kim', email: 'zoe@example.com', position: [] },
    ]);
    // Empty cells leave their field.
    const { lines } = await importFile(`${header}${first}member-2;;22;;;\r\n`);
    expect(lines.slice(0, 2)).toEqual(['Line 2, member-1: unchanged', 'Line 3, member-2: updated']);
    expect(await listPlayers()).toMatchObject([{}, { name: 'Zoë Kim', jerseyNumber: '22', email: 'zoe@example.com' }]);
  });

  it('sends 250 rows, of which one fails, and exits with 1; a dry run writes none', async () => {
    const rows = Array.from({ length: 250 }, (_, index) => `member-${index + 1},Player ${index + 1},${index % 100}`);
    rows[149] = 'member-150,Player 150,12345';
    const file = ['externalId,name,jerseyNumber', ...rows].join('\n');
    const expected = (summary: string) => ({
      code: 1,
      problem: '',
      lines: Array.from({ length: 250 }, (_, index) =>
        index === 149
          ? 'Line 151, member-150: failed: jerseyNumber must be a string of 1 to 4 visible characters (40001)'
          : `Line ${index + 2}, member-${index + 1}: created`,
      ).concat(`250 rows: 249 created, 0 updated, 0 unchanged, 0 deleted, 1 failed${summary}`),
    });
    expect(await importFile(file, ['--dry-run'])).toEqual(expected(' (dry run, nothing was written)'));
    expect(await listPlayers()).toEqual([]);
    expect(await importFile(file)).toEqual(expected(''));
    const response = await organization.call('get', `/teams/${team}/players`).expect(200);
    expect(response.body).toMatchObject({ total: 249 });
  });

  it.each<[string, string | Buffer, Record<string, string>, string]>([
    [
      'an unknown column',
      'externalId,name,shirt\n1,A,2',
      {},
      'The column "shirt" is unknown. Known columns: externalId,',
    ],
    ['a file that is not UTF-8', Buffer.from('externalId,name\n1,Zo\xeb', 'latin1'), {}, 'is not encoded as UTF-8'],
    ['no API key', 'externalId\n1', { API_KEY: '' }, 'Set the environment variables API and API_KEY.'],
    [
      'a wrong API key',
      'externalId\n1',
      { API_KEY: 'wrong' },
      'Stopped at line 2. You can safely repeat the import. Invalid API key (40101, trace ',
    ],
  ])('rejects %s', async (_name, content, variables, message) => {
    const { code, lines, problem } = await importFile(content, [], variables);
    expect({ code, lines }).toEqual({ code: 1, lines: [''] });
    expect(problem).toContain(message);
    expect(await listPlayers()).toEqual([]);
  });

  it('shows its usage for other arguments', async () => {
    expect((await importFile('externalId\n1', ['--teams'])).problem).toContain("Unknown option '--teams'");
    expect((await importFile('externalId\n1', ['another.csv'])).problem).toContain('Usage: flag-football import');
  });
});
