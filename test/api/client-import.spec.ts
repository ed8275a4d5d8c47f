import { ImportStopped } from '../../clients/typescript/src/files/import.js';
import { runImport, type TestImport } from '../support/imports.js';
import { TestOrganization } from '../support/organization.js';
import { RunningServer } from '../support/server.js';

const server = RunningServer.forTests();
const organization = TestOrganization.forTests(server, beforeEach);
let season: string;
let owls: string;

beforeEach(async () => {
  const dates = { startDate: '2026-08-01T00:00:00Z', endDate: '2027-06-30T00:00:00Z' };
  const body = { name: 'Fall 2026', externalId: 'fall-2026', ...dates };
  season = ((await organization.call('post', '/seasons').send(body).expect(201)).body as { _id: string })._id;
  owls = (await organization.team({ name: 'Owls', season, ageGroup: '10U', externalId: 'owls' }))._id;
  await organization.team({ name: 'Hawks', season, ageGroup: '10U', externalId: 'hawks' });
});

const run = (test: TestImport) => runImport(organization, test);
const csv = (...lines: string[]) => lines.join('\n');

async function list(path: string): Promise<Record<string, unknown>[]> {
  const response = await organization.call('get', path).expect(200);
  return (response.body as { data: Record<string, unknown>[] }).data;
}

describe('an import of players', () => {
  it('creates teams of a season, once, and finds them by name, external ID and division', async () => {
    await organization.team({ name: 'Owls', season, ageGroup: '12U' });
    await organization.team({ name: 'New Team', season, ageGroup: '14U' });
    const text = csv(
      'ID,Name,Team,Division',
      '1,A,owls,10U',
      '2,B,OWLS,12U Coed',
      '3,C,New Team,U10',
      '4,D,New-Team,10U',
    );
    const options = { text, season: 'fall-2026', createTeams: true };
    const dryRun = await run({ ...options, dryRun: true });
    expect(dryRun.notes).toEqual(['The team "New Team" (new-team.10u@fall-2026) would be created.']);
    expect(dryRun.results.slice(2)).toEqual(
      [4, 5].map((line) => `${line} skipped: a dry run creates no teams, so it cannot check their rows`),
    );
    const first = await run(options);
    expect([first.notes, first.results]).toEqual([
      ['The team "New Team" (new-team.10u@fall-2026) is created.'],
      ['2 created', '3 created', '4 created', '5 created'],
    ]);
    expect((await run(options)).notes).toEqual([]);
    expect(await list('/teams')).toHaveLength(5);
    expect(await list(`/teams/${owls}/players`)).toMatchObject([{ externalId: '1' }]);
  });

  it('fails rows whose team does not exist or has a name of several, and applies the others', async () => {
    await organization.team({ name: 'Owls', season });
    const { results } = await run({ text: csv('ID,Name,Team', '1,A,Foxes', '2,B,Owls', '3,C,hawks', '4,D,') });
    expect(results).toEqual([
      '2 failed: no team has the name or ID "Foxes": create it with --create-teams --season, or correct it',
      '3 failed: several teams are named "Owls": use their external IDs, or add --season',
      '4 created',
      '5 failed: no team is named',
    ]);
  });

  it('moves players who changed teams, unless the file has them in several', async () => {
    await run({ text: csv('ID,Name,Team', '1,A,owls', '2,B,owls') });
    const { results } = await run({ text: csv('ID,Name,Team', '1,A,hawks', '2,B,owls', '2,B,hawks') });
    expect(results).toEqual(['2 moved', '3 unchanged', '4 created']);
    expect((await run({ text: csv('ID,Name', '1,A'), team: 'owls' })).results).toEqual(['2 created']);
  });

  it('sends nothing with a file or options that are wrong as a whole', async () => {
    const wrong: [TestImport, string][] = [
      [{ text: csv('ID,Name', '1 2,A', '1-2,B'), team: 'owls' }, 'Line 3: it repeats the ID "1-2" of line 2'],
      [
        { text: 'Name,Jersey\nA,1', team: 'owls' },
        '--id-from "First Name,Last Name,Birthdate". Its columns: Name, Jersey.',
      ],
      [{ text: 'Name\nA', team: 'owls', idFrom: ['Nme'] }, 'The file has no column "Nme". Its columns: Name.'],
      [{ text: 'ID,Name\n1,A' }, 'The file has no column for the team: add --team.'],
      [{ text: 'ID,Name\n1,A', team: 'foxes' }, 'no team has the name or ID "foxes"'],
      [{ text: 'ID,Team\n1,A', season: 'x' }, 'There is no season with the ID or external ID "x".'],
      [{ text: 'ID,Name', team: 'owls' }, 'The file has no rows below its header.'],
      [{ text: 'ID,Team\n1,A', createTeams: true }, '--create-teams needs --season.'],
    ];
    for (const [test, message] of wrong) await expect(run(test)).rejects.toThrow(message);
    expect(await list('/players')).toEqual([]);
  });

  it('stops with another error once teams are created', async () => {
    const text = csv('ID,Name,Team', '1,A,Foxes', `2,B,${'x'.repeat(121)}`);
    const options = { text, season: 'fall-2026', createTeams: true };
    await expect(run({ ...options, dryRun: true })).rejects.not.toThrow(ImportStopped);
    await expect(run(options)).rejects.toThrow(ImportStopped);
    expect(await list('/teams')).toHaveLength(3);
  });

  it('finds a team of the season rather than an external ID of another one', async () => {
    const next = (await organization.season({ name: 'Fall 2027' }))._id;
    const owls27 = await organization.team({ name: 'OWLS', season: next, externalId: 'owls-27' });
    const text = csv('ID,Name,Team', '1,A,owls', '2,B,hawks');
    expect((await run({ text, season: next })).results).toEqual(['2 created', '3 created']);
    expect(await list(`/teams/${owls27._id}/players`)).toMatchObject([{ externalId: '1' }]);
  });

  it('creates an ID only for rows without one, the same for any form of a date, which it does not print', async () => {
    const idFrom = ['Last', 'First', 'Birthdate'];
    const header = 'Member ID,First,Last,Birthdate,Jersey';
    const rows = ['M-1,Jordan,Lee,04/17/2016,#7', ',Jordan,Lee,04/17/2016,', 'N/A,Alex,Kim,N/A,'];
    const lines: string[] = [];
    await run({ text: csv(header, ...rows), team: 'owls', idFrom, lines });
    expect(lines).toEqual(['2 M-1: created', '3 Lee Jordan: created', '4 Kim Alex: created']);
    const ids = ['M-1', expect.stringMatching(/^key-/), expect.stringMatching(/^key-/)];
    const players = await list(`/teams/${owls}/players`);
    expect(players.map(({ externalId }) => externalId)).toEqual(ids);
    expect(players[0]).toMatchObject({ jerseyNumber: '7' });
    const again = csv(header, ...rows)
      .replaceAll('04/17/2016', '2016-04-17')
      .replace('Kim,N/A', 'Kim,');
    expect((await run({ text: again, team: 'owls', idFrom })).results.map((each) => each.slice(2))).toEqual(
      Array.from({ length: 3 }, () => 'unchanged'),
    );
  });

  it('fails a row with all its faults and warnings', async () => {
    const header = 'ID,Name,Email,Position,Team';
    const foxes = await run({ text: csv(header, '1,,bad,#N/A,Foxes', '2,,,,Foxes', '1.2E+11,,,,owls') });
    const named = 'no team has the name or ID "Foxes": create it with --create-teams --season, or correct it';
    const missing = 'Name "": a new record needs it (40001)';
    expect(foxes.results).toEqual([
      `2 failed: ${named}: Email "bad": email must be an email address; ${missing}: Position "#N/A" is taken as empty`,
      `3 failed: ${named}: ${missing}`,
      '4 failed: a spreadsheet has shortened the ID 1.2E+11: Name "": name is required to create the record (40001)',
    ]);
    const owls = await run({ text: csv('ID,Name,Team', '1,A,Hawks', '2,B,Owls', '3,C,Red'), team: 'owls' });
    expect(owls.results).toEqual([
      '2 failed: Team "Hawks" is another team than --team Owls',
      ...['3 created', '4 created'],
    ]);
  });

  it('leaves the fields of empty cells as they are', async () => {
    await run({ text: csv('ID,Name,Jersey', '1,Zoë Kim,7'), team: 'owls' });
    expect((await run({ text: csv('ID,Name,Jersey', '1,,22'), team: 'owls' })).results).toEqual(['2 updated']);
    expect(await list(`/teams/${owls}/players`)).toMatchObject([{ name: 'Zoë Kim', jerseyNumber: '22' }]);
  });

  it('brings all who play, but no other coaches and parents', async () => {
    const players = ['Player/Coach', 'Coach/Player', 'Returning player (parent volunteer)', 'Game Day Player'];
    const others = ['Coach', 'Non-Player (coach)', 'Parent of player', 'Parent of a Player'];
    const rows = [...players, ...others].map((role, index) => `${index},A,${role}`);
    const { results } = await run({ text: csv('ID,Name,Role', ...rows), team: 'owls' });
    expect(results.map((each) => each.slice(2))).toEqual([
      ...players.map(() => 'created'),
      ...others.map(() => 'skipped: no player'),
    ]);
  });

  it('reports rows that cannot be right, and skips decoration', async () => {
    const lines = [
      '1.2E+11,A,1',
      '2,B,,,unquoted',
      'ID,Name,Jersey,,',
      ',"Red Division",,,',
      ',C,5',
      'Totals,2,',
      'Total Domination,D,',
    ];
    const { results } = await run({ text: csv('ID,Name,Jersey,,', ...lines), team: 'owls' });
    expect(results).toEqual([
      '2 failed: a spreadsheet has shortened the ID 1.2E+11',
      '3 created',
      '4 skipped: the header again',
      '5 skipped: a line with one cell, "Red Division"',
      '6 failed: ID "": externalId must have 1 to 128 characters of A-Z a-z 0-9 . _ : ~ @ - (40001)',
      ...['7 skipped: totals', '8 created'],
    ]);
  });
});

describe('an import of statistics', () => {
  let schedule: string;
  let path: string;
  const file = 'statistics-by-jersey.csv';

  beforeEach(async () => {
    const hawks = (await list('/teams?externalId=hawks'))[0]?.['_id'] as string;
    await organization.player(owls, { name: 'Jordan Lee', jerseyNumber: '07', externalId: 'p-7' });
    await organization.player(owls, { name: 'Alex Kim', jerseyNumber: '22' });
    await organization.player(hawks, { name: 'Sam Fox', jerseyNumber: '5' });
    await organization.player(hawks, { name: 'Robin Roe', jerseyNumber: '22' });
    schedule = (await organization.schedule(owls, { teamTwoId: hawks, externalId: 'game-1' }))._id;
    path = `/schedules/${schedule}/player-statistics`;
  });

  it('finds players by number and team or name, and keeps the rows of others', async () => {
    const test: TestImport = { kind: 'statistics', file, schedule: 'game-1' };
    const results = ['2 created', '3 created', '4 created', '5 skipped: totals'];
    expect((await run({ ...test, dryRun: true })).results).toEqual(results);
    expect(await list(path)).toEqual([]);
    expect((await run(test)).results).toEqual(results);
    expect((await run({ ...test, schedule })).results).toEqual(
      results.map((each) => each.replace('created', 'unchanged')),
    );
    const sheet = csv('Jersey,Team,C/ATT,YDS,FP,Rec', '22,Hawks,,,3,-', '#7,owls,30/40,333,,');
    expect((await run({ ...test, file: '', text: sheet })).results).toEqual(['2 created', '3 updated']);
    expect(await list(path)).toMatchObject([
      { playerName: 'Robin Roe', category: 'defensive', stats: { flagPulls: 3, sacks: null } },
      { playerName: 'Sam Fox', category: 'punt', derived: { puntAverage: 50.6 } },
      { playerName: 'Sam Fox', category: 'return' },
      { playerName: 'Jordan Lee', category: 'qb', stats: { passAttempts: 40, completions: 30, passingYards: 333 } },
      { playerName: 'Alex Kim', category: 'offensive' },
      { playerName: 'Jordan Lee', category: 'offensive' },
      { playerName: 'Alex Kim', category: 'defensive', stats: { flagPulls: 5.5 } },
    ]);
  });

  it('counts blanks as 0 by option, but only in categories with a number', async () => {
    const text = csv('Member ID,Comp,Att,FP', 'p-7,3,,');
    await run({ kind: 'statistics', text, schedule, isBlankZero: true }).catch(() => undefined);
    expect(await list(path)).toEqual([]);
    await run({ kind: 'statistics', text: text.replace('p-7,3,,', 'p-7,,3,'), schedule, isBlankZero: true });
    expect(await list(path)).toMatchObject([
      { category: 'qb', stats: { completions: 0, passAttempts: 3, passingYards: null } },
    ]);
  });

  it('writes nothing if a row is wrong, and names player and column', async () => {
    const text = csv(
      'Jersey,Player,FP,Rec',
      '7,Jordan Lee,1,2',
      '22,,1,',
      '99,,1,',
      '5,Sam Fox,x,',
      '5,Robin,,1',
      '5,Alex Kim,1,',
    );
    const wrong = await runToEnd({ kind: 'statistics', text, schedule });
    expect(wrong).toEqual([
      '2 7 Jordan Lee: skipped: another row is wrong',
      '3 22: failed: Jersey "22" is of several players: add a column for the team, or --team',
      '4 99: failed: no player of the game has this number or name',
      '5 5 Sam Fox: failed: FP "x" is not a number',
      '6 5 Robin: skipped: another row is wrong',
      '7 5 Alex Kim: failed: Jersey "5" is Sam Fox, but Player "Alex Kim" plays, too: which one is meant?',
    ]);
    expect(
      await runToEnd({ kind: 'statistics', text: '#,C/ATT\n7,2026-03-05\n22,14', team: 'owls', schedule }),
    ).toEqual(['2 7: failed: C/ATT "2026-03-05" is not 2 numbers', '3 22: failed: C/ATT "14" is not 2 numbers']);
    const rejected = await runToEnd({
      kind: 'statistics',
      text: csv('#,Flag Pulls,TFL', '7,5.3,0', '5,1,2'),
      schedule,
    });
    expect(rejected).toEqual([
      '2 7: failed: Flag Pulls "5.3": flagPulls must be a multiple of 0.5 from 0 to 9999, or null if it is not tracked',
      expect.stringContaining('3 5: failed: TFL "2": '),
    ]);
    expect(await list(path)).toEqual([]);
    expect((await run({ kind: 'statistics', text: 'Jersey,Player,Rec\n5,Robin,1', schedule })).results).toEqual([
      '2 created: Jersey "5" is Sam Fox',
    ]);
  });

  /** Returns what was said about the rows of an import that fails. */
  async function runToEnd(test: TestImport): Promise<string[]> {
    const lines: string[] = [];
    await expect(run({ ...test, lines })).rejects.toThrow('Nothing was written, because a row is wrong');
    return lines;
  }
});
