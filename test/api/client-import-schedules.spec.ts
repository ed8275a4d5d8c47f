import { runImport, type TestImport } from '../support/imports.js';
import { TestOrganization } from '../support/organization.js';
import { RunningServer } from '../support/server.js';

const server = RunningServer.forTests();
const organization = TestOrganization.forTests(server, beforeEach);
let season: string;

beforeEach(async () => {
  season = (await organization.season())._id;
  await organization.team({ name: 'Owls', season, externalId: 'owls' });
  await organization.team({ name: 'Hawks', season, externalId: 'hawks' });
});

const run = (test: TestImport) => runImport(organization, test);
const csv = (...lines: string[]) => lines.join('\n');

async function list(path: string): Promise<Record<string, unknown>[]> {
  const response = await organization.call('get', path).expect(200);
  return (response.body as { data: Record<string, unknown>[] }).data;
}

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

  /** The cells of a row by their columns, what happens to it, and the game that it becomes. */
  type Case = [cells: Record<string, string>, result: string, expected?: object];
  const points = (home: string, guest: string, cells = {}) => ({ ...cells, 'Home Pts': home, 'Guest Pts': guest });
  const lost = (cells: string) => `created: no scores are sent: ${cells}`;
  const cases: Case[] = [
    [{ Type: 'Practice', Status: 'Canceled' }, 'created', { eventType: 'practice', status: 'cancelled' }],
    [{ Type: 'Practice', Status: 'Completed' }, 'created', { eventType: 'practice', status: 'scheduled' }],
    [{ Type: 'Practice Game' }, 'created', { eventType: 'game', isScrimmage: true }],
    [{ Type: 'Championship' }, 'created', { eventType: 'game', isScrimmage: false }],
    [{ Duration: '1:30:00' }, 'created', { endDate: '2090-04-06T00:00:00.000Z' }],
    [{ Duration: '1.5' }, 'failed: Duration "1.5" is no duration such as 45 or 1:30'],
    [{ End: '7:30' }, 'created', { endDate: '2090-04-07T23:30:00.000Z' }],
    [{ End: '12:15 AM' }, 'created', { endDate: '2090-04-09T04:15:00.000Z' }],
    [{ End: '7:30 AM' }, 'created: End "7:30 AM" is taken as the next morning', {}],
    [{ 'Time Zone': 'N/A' }, 'created', { timeZone: 'America/New_York' }],
    [points('14.0', '6'), 'created', { status: 'final', teamOneScore: 14, teamTwoScore: 6 }],
    [points('14*', '6'), lost('Home Pts "14*", Guest Pts "6"'), { status: 'scheduled' }],
    [{ Score: '7', 'Opponent Score': '6' }, lost('Score "7", Opponent Score "6"'), {}],
    [points('0', '0'), 'created', { status: 'scheduled' }],
    [points('7', '6', { Status: 'PPD' }), lost('Home Pts "7", Guest Pts "6"'), { status: 'postponed' }],
    [points('7', '0', { 'H/A': 'Away' }), 'created', { teamOneScore: 7 }],
    [points('0', '0', { Status: 'F/OT' }), 'created', { status: 'final' }],
    [{ Status: 'Cancelled - weather' }, 'created', { status: 'cancelled' }],
    [points('0', '1', { Status: 'Final (Forfeit)' }), 'created', { forfeitedBy: 'teamOne' }],
    [points('0', '0', { Status: 'Double Forfeit' }), 'created', { forfeitedBy: 'both' }],
    [
      points('0', '0', { Status: 'Forfeit' }),
      'failed: Status "Forfeit": who forfeited? Give the winner the higher score, such as 1 and 0',
    ],
  ];

  it('reads types, lengths, statuses and scores, in a file with many columns', async () => {
    const columns = [...new Set(cases.flatMap(([cells]) => Object.keys(cells)))];
    const rows = cases.map(([cells], index) => {
      const day = `2090-04-${String(index + 1).padStart(2, '0')}`;
      return `${day},6:30 PM,Owls,Hawks,${columns.map((column) => cells[column] ?? '').join()}`;
    });
    const { results } = await run({ ...options, text: csv(`Date,Time,Home,Visitor,${columns.join()}`, ...rows) });
    expect(results).toEqual(cases.map(([, result], index) => `${index + 2} ${result}`));
    const expected = cases.flatMap(([, , game]) => game ?? []);
    expect(await list('/schedules?limit=100')).toMatchObject(expected);
  });

  const days = 'Date,Time,Home,Visitor';
  const results = `Game ID,${days},Status,Home Score,Visitor Score`;
  const game = 'g,2026-09-06,9:00,Owls,Hawks';
  const final = { teamOneScore: 7, teamTwoScore: 6 };
  it.each<[string, string[], string[], object]>([
    ['a later start', [days, '2026-09-06,9:00,Owls,Hawks'], [days, '2026-09-06,10:00,Owls,Hawks'], {}],
    [
      'a result that was none',
      [results, `${game},Final,7,6`],
      [results, `${game},Canceled,,`],
      { status: 'cancelled', teamOneScore: null },
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

  it('keeps the lengths of games that a file does not have, also of one that is moved', async () => {
    const minutes = [45, 60, 45, 75, 45, 100];
    const lines = minutes.map((_, index) => `2026-09-0${index + 1},9:00,Owls,Hawks`);
    const before = lines.map((line, index) => `${line},${minutes[index] ?? 0}`);
    await run({ ...options, text: csv(`${days},Duration`, ...before) });
    const after = csv(`${days},Status`, ...lines.map((line) => `${line},PPD`)).replace('05,9:00', '05,10:00');
    expect((await run({ ...options, text: after })).results).toEqual(lines.map((_, line) => `${line + 2} updated`));
    const games = (await list('/schedules')) as { startDate: string; endDate: string }[];
    expect(games.map((each) => (Date.parse(each.endDate) - Date.parse(each.startDate)) / 60_000)).toEqual(minutes);
    expect(games[4]?.startDate).toBe('2026-09-05T14:00:00.000Z');
  });

  it('tells games of the same teams on one day apart, in any order', async () => {
    const lines = ['2026-09-06,15:00,Owls,Hawks', '2026-09-06,9:00,Owls,Hawks'];
    expect((await run({ ...options, text: csv(days, ...lines) })).results).toEqual(['2 created', '3 created']);
    const again = await run({ ...options, text: csv(days, ...lines.reverse()) });
    expect(again.results).toEqual(['2 unchanged', '3 unchanged']);
  });

  it.each([
    ['Opponent', 'vs Hawks', '@ Owls', ''],
    ['Opponent', 'vs Hawks', 'vs Owls', ''],
    ['Opponent', 'Hawks', 'Owls', 'N'],
    ['Subject', 'Week 1: Owls @ Hawks', 'Hawks vs Owls', ''],
  ])('finds the same game in the lists of both teams: %s %s, %s', async (header, ofOwls, ofHawks, side) => {
    const list = (opponent: string) => csv(`Date,Time,${header},H/A`, `2026-09-06,9:00,${opponent},${side}`);
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

  it('creates no teams that are not known yet', async () => {
    const rows = ['Winner Game 1,Loser of Semifinal', 'Owls,1st Seed', 'TBD Team,Hawks', 'Owls,Foxes'];
    const text = csv('Date,Time,Home,Visitor', ...rows.map((row, index) => `2026-09-0${index + 1},9:00,${row}`));
    const { notes, results } = await run({ ...options, text, season, createTeams: true });
    expect(notes).toEqual([expect.stringMatching(/^The team "Foxes" .* is created\.$/)]);
    expect(results).toEqual(['2 skipped: its teams are not known yet', ...['3 created', '4 created', '5 created']]);
  });

  it('checks games with a team that would be created', async () => {
    const text = csv(days, '2026-09-06,9:00,Owls,Foxes', '2026-09-06,9:00,Foxes,Bears');
    const test = { ...options, text, season, createTeams: true };
    expect((await run({ ...test, dryRun: true })).results).toEqual([
      '2 created',
      '3 skipped: a dry run creates no teams, so it cannot check their rows',
    ]);
    expect((await run(test)).results).toEqual(['2 created', '3 created']);
  });

  it('sends nothing with a file or options that are wrong as a whole', async () => {
    const repeated = [',g,2026-09-06,9:00,Owls,Hawks', ',g,2026-09-07,9:00,Owls,Hawks'];
    const wrong: [TestImport, string][] = [
      [
        { ...options, text: csv(days, '9/6/2026,9:00,Owls,Hawks') },
        'Line 2: "9/6/2026" is 2026-09-06 with --dates mdy',
      ],
      [{ kind: 'schedules', text: csv(days, '2026-09-06,9:00,Owls,Hawks') }, 'Line 2: in which time zone'],
      [{ ...options, text: 'Home,Away\nOwls,Hawks' }, 'The file has no column for the date.'],
      [{ ...options, text: csv(days, '2026-09-06,,Owls,Hawks', ',,Owls,BYE') }, 'No row has a time.'],
      [
        { ...options, text: csv('ID,Game ID,Date,Time,Home,Away', ...repeated) },
        'Line 3: it repeats the ID "g" of line 2',
      ],
    ];
    for (const [test, message] of wrong) await expect(run(test)).rejects.toThrow(message);
    expect(await list('/schedules')).toEqual([]);
  });
});
