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

  it.each<[string, TestImport, string]>([
    [
      'a repeated ID',
      { text: csv('ID,Name', '1 2,A', '1-2,B'), team: 'owls' },
      'Line 3: it repeats the ID "1-2" of line 2',
    ],
    [
      'no column for the ID',
      { text: 'Name,Jersey\nA,1', team: 'owls' },
      '--id-from "First Name,Last Name,Birthdate". Its columns: Name, Jersey.',
    ],
    [
      'an unknown column for the ID',
      { text: 'Name\nA', team: 'owls', idFrom: ['Nme'] },
      'The file has no column "Nme". Its columns: Name.',
    ],
    ['no team', { text: 'ID,Name\n1,A' }, 'The file has no column for the team: add --team.'],
    ['an unknown team', { text: 'ID,Name\n1,A', team: 'foxes' }, 'no team has the name or ID "foxes"'],
    ['an unknown season', { text: 'ID,Team\n1,A', season: 'x' }, 'There is no season with the ID or external ID "x".'],
    ['no rows', { text: 'ID,Name', team: 'owls' }, 'The file has no rows below its header.'],
    ['teams without a season', { text: 'ID,Team\n1,A', createTeams: true }, '--create-teams needs --season.'],
  ])('sends nothing with %s', async (_name, test, message) => {
    await expect(run(test)).rejects.toThrow(message);
    expect(await list('/players')).toEqual([]);
  });

  it('leaves the fields of empty cells as they are', async () => {
    await run({ text: csv('ID,Name,Jersey', '1,Zoë Kim,7'), team: 'owls' });
    expect((await run({ text: csv('ID,Name,Jersey', '1,,22'), team: 'owls' })).results).toEqual(['2 updated']);
    expect(await list(`/teams/${owls}/players`)).toMatchObject([{ name: 'Zoë Kim', jerseyNumber: '22' }]);
  });

  it('brings a coach who plays, but no other coach', async () => {
    const { results } = await run({ text: csv('ID,Name,Role', '1,A,Player/Coach', '2,B,Coach'), team: 'owls' });
    expect(results).toEqual(['2 created', '3 skipped: no player']);
  });

  it('reports rows that cannot be right, and skips decoration', async () => {
    const lines = ['1.2E+11,A,1', '2,B,,,unquoted', 'ID,Name,Jersey,,', ',"Red Division",,,', ',C,5', 'Totals,2,'];
    const { results } = await run({ text: csv('ID,Name,Jersey,,', ...lines), team: 'owls' });
    expect(results).toEqual([
      '2 failed: a spreadsheet has shortened the ID 1.2E+11',
      '3 created',
      '4 skipped: the header again',
      '5 skipped: a line with one cell, "Red Division"',
      '6 failed: ID "": externalId must have 1 to 128 characters of A-Z a-z 0-9 . _ : ~ @ - (40001)',
      '7 skipped: totals',
    ]);
  });
});

describe('an import of schedules', () => {
  const options = { kind: 'schedules', zone: 'America/New_York' } as const;

  it('reports hours that do not exist, unknown zones and unknown statuses, and reads ends', async () => {
    const text = csv(
      'Date,Time,End Time,Time Zone,Home,Visitor,Status,Home Score,Visitor Score',
      '2027-03-14,2:30 AM,,,Owls,Hawks,,,',
      '2027-03-15,6 PM,,CEST,Owls,Hawks,,,',
      '2027-03-16,11 PM,12:15 AM,PT,Owls,Hawks,Delayed,,',
      '2027-03-17,6 PM,,,Guests,Hawks,Forfeit,0,1',
      '2027-03-18,6 PM,,,Owls,Hawks,Sunny,7,7',
      '2027-03-19,6 PM,,,Guests,Others,,,',
      '2027-03-20,6 PM,,,Owls,Hawks,Final,,',
    );
    const { results } = await run({ ...options, text });
    const missing = (field: string, quote: string) => `${quote}: ${field} is required if status is final`;
    expect(results).toEqual([
      '2 failed: 2027-03-14 02:30 does not exist in America/New_York: the clocks go forward',
      '3 failed: Time Zone "CEST" is no time zone such as America/Denver',
      ...['4 created', '5 created'],
      '6 created: Status "Sunny" is not a known status: no scores are sent: Home Score "7", Visitor Score "7"',
      '7 failed: no team has the name or ID "Guests" or "Others": create it with --create-teams --season, or correct it',
      `8 failed: ${missing('teamOneScore', 'Home Score ""')}; ${missing('teamTwoScore', 'Visitor Score ""')} (40001)`,
    ]);
    expect(await list('/schedules')).toMatchObject([
      { startDate: '2027-03-17T06:00:00.000Z', endDate: '2027-03-17T07:15:00.000Z', status: 'postponed' },
      { teamTwoName: 'Guests', status: 'forfeited', forfeitedBy: 'teamTwo', teamOneScore: 1, teamTwoScore: 0 },
      // The scores of an unknown status can still change.
      { status: 'scheduled', timeZone: 'America/New_York' },
    ]);
  });

  const lost = (cells: string) => `2 created: no scores are sent: ${cells}`;
  it.each<[string, string, string, string, object | undefined]>([
    ['a cancelled practice', 'Type,Status', 'Practice,Canceled', '2 created', { status: 'cancelled' }],
    ['a completed practice', 'Type,Status', 'Practice,Completed', '2 created', { eventType: 'practice' }],
    ['a practice game', 'Type', 'Practice Game', '2 created', { eventType: 'game', isScrimmage: true }],
    ['a type of its own', 'Type', 'Championship', '2 created', { eventType: 'game', isScrimmage: false }],
    ['hours', 'Duration', '1:30:00', '2 created', { endDate: '2090-03-15T00:00:00.000Z' }],
    ['no such hours', 'Duration', '1.5', '2 failed: Duration "1.5" is no duration such as 45 or 1:30', undefined],
    ['an end without PM', 'End', '7:30', '2 created', { endDate: '2090-03-14T23:30:00.000Z' }],
    ['an end at night', 'End', '12:15 AM', '2 created', { endDate: '2090-03-15T04:15:00.000Z' }],
    ['an end much later', 'End', '7:30 AM', '2 created: End "7:30 AM" is taken as the next morning', {}],
    ['no zone', 'Time Zone', 'N/A', '2 created', { timeZone: 'America/New_York' }],
    ['scores', 'Home Pts,Guest Pts', '14.0,6', '2 created', { status: 'final', teamOneScore: 14, teamTwoScore: 6 }],
    ['wrong scores', 'Home Pts,Guest Pts', '14*,6', lost('Home Pts "14*", Guest Pts "6"'), { status: 'scheduled' }],
    ['scores of no side', 'Score,Opponent Score', '7,6', lost('Score "7", Opponent Score "6"'), {}],
    ['no scores yet', 'Home Pts,Guest Pts', '0,0', '2 created', { status: 'scheduled' }],
    ['scores of no day', 'Status,Home Pts,Guest Pts', 'PPD,7,6', lost('Home Pts "7", Guest Pts "6"'), {}],
    ['the side beside both', 'H/A,Home Pts,Guest Pts', 'Away,7,0', '2 created', { teamOneScore: 7 }],
    ['overtime', 'Status,Home Pts,Guest Pts', 'F/OT,0,0', '2 created', { status: 'final' }],
    ['weather', 'Status', 'Cancelled - weather', '2 created', { status: 'cancelled' }],
    ['a forfeit', 'Status,Home Pts,Guest Pts', 'Final (Forfeit),0,1', '2 created', { forfeitedBy: 'teamOne' }],
    ['two forfeits', 'Status,Home Pts,Guest Pts', 'Double Forfeit,0,0', '2 created', { forfeitedBy: 'both' }],
    [
      'an open forfeit',
      'Status,Home Pts,Guest Pts',
      'Forfeit,0,0',
      '2 failed: Status "Forfeit": who forfeited? Give the winner the higher score, such as 1 and 0',
      undefined,
    ],
  ])('reads %s', async (_name, header, cells, result, expected) => {
    const text = csv(`Date,Time,Home,Visitor,${header}`, `2090-03-14,6:30 PM,Owls,Hawks,${cells}`);
    expect((await run({ ...options, text })).results).toEqual([result]);
    expect(await list('/schedules')).toMatchObject(expected ? [expected] : []);
  });

  const days = 'Date,Time,Home,Visitor';
  const results = `Game ID,${days},Status,Home Score,Visitor Score`;
  const game = 'g,2026-09-06,9:00,Owls,Hawks';
  const final = { teamOneScore: 7, teamTwoScore: 6 };
  it.each<[string, string[], string[], object]>([
    ['a later start', [days, '2026-09-06,9:00,Owls,Hawks'], [days, '2026-09-06,10:00,Owls,Hawks'], {}],
    [
      'an end, without a column for it',
      [`${days},Duration`, '2026-09-06,9:00,Owls,Hawks,45'],
      [`${days},Status`, '2026-09-06,10:00,Owls,Hawks,PPD'],
      { endDate: '2026-09-06T14:45:00.000Z', status: 'postponed' },
    ],
    [
      'a result that was none',
      [results, `${game},Final,7,6`],
      [results, `${game},Canceled,,`],
      { status: 'cancelled' },
    ],
    [
      'a game that was played',
      [results, `${game},Forfeit,0,1`],
      [results, `${game},Final,7,6`],
      { ...final, forfeitedBy: null },
    ],
    [
      'a guest',
      [results, `${game},Final,7,6`],
      [results, `${game.replace('Hawks', 'Foxes')},,7,6`],
      { ...final, teamTwoId: null, teamTwoName: 'Foxes' },
    ],
    [
      'a scrimmage, without a column for it',
      [`${days},Type`, '2026-09-06,9:00,Owls,Hawks,Scrimmage'],
      [`${days},Home Score,Visitor Score`, '2026-09-06,9:00,Owls,Hawks,7,6'],
      { ...final, isScrimmage: true },
    ],
  ])('follows %s', async (_name, before, after, expected) => {
    await run({ ...options, text: csv(...before) });
    const text = csv(...after);
    expect((await run({ ...options, text, dryRun: true })).results).toEqual(['2 updated']);
    expect((await run({ ...options, text })).results).toEqual(['2 updated']);
    expect((await run({ ...options, text })).results).toEqual(['2 unchanged']);
    const cleared = { teamTwoId: null, teamOneScore: null, forfeitedBy: null };
    expect((await list('/schedules')).map((stored) => ({ ...cleared, ...stored }))).toMatchObject([expected]);
  });

  it('tells games of the same teams on one day apart, in any order', async () => {
    const lines = ['2026-09-06,15:00,Owls,Hawks', '2026-09-06,9:00,Owls,Hawks'];
    expect((await run({ ...options, text: csv(days, ...lines) })).results).toEqual(['2 created', '3 created']);
    const again = await run({ ...options, text: csv(days, ...lines.reverse()) });
    expect(again.results).toEqual(['2 unchanged', '3 unchanged']);
  });

  it.each([
    ['vs Hawks', '@ Owls', ''],
    ['vs Hawks', 'vs Owls', ''],
    ['Owls @ Hawks', 'Hawks vs Owls', ''],
    ['Hawks', 'Owls', 'N'],
  ])('finds the same game in the lists of both teams: %s and %s', async (ofOwls, ofHawks, side) => {
    const list = (opponent: string) => csv('Date,Time,Opponent,H/A', `2026-09-06,9:00,${opponent},${side}`);
    expect((await run({ ...options, text: list(ofOwls), team: 'owls' })).results).toEqual(['2 created']);
    expect((await run({ ...options, text: list(ofHawks), team: 'hawks' })).results).toEqual(['2 unchanged']);
  });

  it('says which line of a game has another result, and quotes the cell of the side', async () => {
    const lines = ['2026-09-06,18:30,Owls,Hawks,,', '2026-09-06,18:30,Hawks,Owls,6,14'];
    const text = csv('Date,Time,Team,Opponent,Team Score,Opponent Score', ...lines);
    const skipped = '3 skipped: the game of line 2, but with another status or score';
    expect((await run({ ...options, text })).results).toEqual(['2 created', skipped]);
    const guests = csv(results, 'g,2026-09-07,9:00,Guests,Hawks,Final,7,1000');
    expect((await run({ ...options, text: guests })).results).toEqual([
      expect.stringMatching(/^2 failed: Visitor Score "1000": teamOneScore must be /),
    ]);
  });

  it('checks games with a team that would be created', async () => {
    const text = csv(days, '2026-09-06,9:00,Owls,Foxes', '2026-09-06,9:00,Foxes,Bears');
    const test = { ...options, text, season: 'fall-2026', createTeams: true };
    expect((await run({ ...test, dryRun: true })).results).toEqual([
      '2 created',
      '3 skipped: a dry run creates no teams, so it cannot check their rows',
    ]);
    expect((await run(test)).results).toEqual(['2 created', '3 created']);
  });

  it.each<[string, TestImport, string]>([
    [
      'an ambiguous date',
      { ...options, text: 'Date,Time,Home,Away\n9/6/2026,9:00,Owls,Hawks' },
      'Line 2: "9/6/2026" is 2026-09-06 with --dates mdy',
    ],
    [
      'no time zone',
      { kind: 'schedules', text: 'Date,Time,Home,Away\n2026-09-06,9:00,Owls,Hawks' },
      'Line 2: in which time zone',
    ],
    ['no date', { ...options, text: 'Home,Away\nOwls,Hawks' }, 'The file has no column for the date.'],
    ['no times', { ...options, text: csv(days, '2026-09-06,,Owls,Hawks', ',,Owls,BYE') }, 'No row has a time.'],
    [
      'a repeated ID',
      {
        ...options,
        text: csv('ID,Game ID,Date,Time,Home,Away', ',g,2026-09-06,9:00,Owls,Hawks', ',g,2026-09-07,9:00,Owls,Hawks'),
      },
      'Line 3: it repeats the ID "g" of line 2',
    ],
  ])('sends nothing with %s', async (_name, test, message) => {
    await expect(run(test)).rejects.toThrow(message);
    expect(await list('/schedules')).toEqual([]);
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
