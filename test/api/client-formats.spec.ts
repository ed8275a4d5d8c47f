import { readFileSync } from 'node:fs';
import path from 'node:path';
import { runImport, type TestImport } from '../support/imports.js';
import { TestOrganization } from '../support/organization.js';
import { RunningServer } from '../support/server.js';

const names = ['First Name', 'Last Name'];
const zone = 'America/New_York';
const league = { kind: 'schedules', dates: 'mdy', zone } as const;
const created = (...lines: number[]) => lines.map((line) => `${line} created`);
const owls = { team: 'lakeside-owls' };

/** The files of the trade that were tried, by the options with which they go in. */
const rosters: [file: string, options: TestImport, results: string[]][] = [
  [
    'roster-01-teamsnap-organization.csv',
    { idFrom: ['First', 'Last', 'Birthdate'] },
    [...created(2, 3, 4), '5 skipped: no player'],
  ],
  ['roster-02-teamsnap-tournament.csv', { ...owls, idFrom: names }, [...created(2), '3 skipped: no player']],
  ['roster-03-nfl-flag.csv', { ...owls, idFrom: names }, [...created(2), '3 skipped: no player']],
  ['roster-04-sportsengine-tourney.tsv', {}, created(2, 3)],
  ['roster-05-eventconnect.csv', owls, [...created(2), '3 skipped: no player']],
  ['roster-06-threestep.xlsx', { ...owls, idFrom: ['Athlete First Name', 'Athlete Last Name'] }, created(2, 3)],
  ['roster-07-quickscores.csv', {}, [...created(2), '3 created: Primary email address "N/A" is taken as empty']],
  ['roster-08-pixellot.csv', { ...owls, idFrom: names }, [...created(2), '3 created: Email "-" is taken as empty']],
  ['roster-09-gamesheet.csv', {}, [...created(2, 3), '4 skipped: no player']],
  [
    'roster-10-no-header.csv',
    { ...owls, map: { '1': 'lastName', '2': 'firstName', '5': 'jerseyNumber' }, idFrom: ['1', '2'] },
    created(1, 2),
  ],
  [
    'roster-11-easyteammanager.txt',
    { ...owls, idFrom: ['userLastname', 'userFirstname'] },
    [...created(2), '3 skipped: no player'],
  ],
  ['roster-12-flag-football-app.csv', { ...owls, idFrom: ['name'] }, created(2, 3)],
  [
    'roster-13-club-export.csv',
    { idFrom: names },
    [
      '6 skipped: a line with one cell, "# ── Lakeside Owls ──────────────────────────────────"',
      '7 skipped: no player',
      ...created(8, 9),
      ...['10 skipped: no player', '11 skipped: no player'],
      '13 skipped: a line with one cell, "# ── Bay Hawks ──────────────────────────────────"',
      ...created(14),
      '15 skipped: totals',
    ],
  ],
  ['roster-14-status.csv', { ...owls, idFrom: names }, created(2, 3)],
];

const twice =
  '4 created: 2026-11-01 01:30 happens twice in America/New_York, as the clocks go back: the first is taken';
const schedules: [file: string, options: TestImport, results: string[]][] = [
  ['schedule-15-teamsnap.csv', league, [...created(2), '3 skipped: it has no time yet', ...created(4)]],
  [
    'schedule-16-sportsengine-games.csv',
    { kind: 'schedules', dates: 'mdy' },
    [...created(2, 3), twice, '5 skipped: a bye'],
  ],
  [
    'schedule-17-sportsengine-upload.csv',
    league,
    [...created(2), '3 skipped: it has no time yet', '4 skipped: no game or practice but "Event"', ...created(5)],
  ],
  ['schedule-18-demosphere.csv', league, created(2, 3)],
  ['schedule-19-assignr.csv', { kind: 'schedules', zone }, created(2, 3)],
  ['schedule-20-daysmart.csv', league, [...created(2, 3), '4 skipped: no game or practice but "Blocker"']],
  ['schedule-21-horizonwebref.csv', league, created(2, 3)],
  ['schedule-22-teamcowboy.tsv', { kind: 'schedules', ...owls }, created(2, 3, 4)],
  [
    'schedule-23-google-calendar.csv',
    { ...league, ...owls },
    [...created(2, 3, 4), '5 skipped: its teams are not known yet'],
  ],
];

describe('files of the trade', () => {
  const server = RunningServer.forTests();
  const organization = TestOrganization.forTests(server, beforeEach);

  beforeEach(async () => {
    const season = (await organization.season())._id;
    for (const name of ['Lakeside Owls', 'Bay Hawks'])
      await organization.team({ name, season, externalId: name.toLowerCase().replace(' ', '-') });
  });

  async function list(path: string): Promise<Record<string, unknown>[]> {
    const response = await organization.call('get', `${path}?limit=100`).expect(200);
    return (response.body as { data: Record<string, unknown>[] }).data;
  }

  it.each([...rosters, ...schedules])(
    'go in as they are, and repeated change nothing: %s',
    async (file, options, results) => {
      expect((await runImport(organization, { file, ...options })).results).toEqual(results);
      const repeated = results.map((result) => result.replace('created', 'unchanged'));
      expect((await runImport(organization, { file, ...options })).results).toEqual(repeated);
    },
  );

  it('become players, without coaches and the addresses of parents', async () => {
    await runImport(organization, {
      file: 'roster-01-teamsnap-organization.csv',
      idFrom: ['First', 'Last', 'Birthdate'],
    });
    const players = await list('/players');
    expect(players).toMatchObject([
      { name: 'Jordan Lee', jerseyNumber: '7', position: ['QB'] },
      { name: 'Alex Kim', position: ['WR'] },
      { name: 'Sam Fox', position: ['C', 'RUSHER'] },
    ]);
    expect(players.map(({ email }) => email)).toEqual([undefined, undefined, undefined]);
    const [first, second, third] = players.map(({ teamId }) => teamId);
    expect([first === second, first === third]).toEqual([true, false]);
  });

  it('become games, at the time of the place', async () => {
    await runImport(organization, { file: 'schedule-16-sportsengine-games.csv', kind: 'schedules', dates: 'mdy' });
    expect(await list('/schedules')).toMatchObject([
      {
        startDate: '2026-09-06T22:30:00.000Z',
        endDate: '2026-09-06T23:30:00.000Z',
        status: 'final',
        teamOneScore: 14,
        teamTwoScore: 6,
      },
      {
        startDate: '2026-09-13T13:00:00.000Z',
        endDate: '2026-09-13T13:45:00.000Z',
        status: 'scheduled',
        locationName: 'Field 1',
      },
      { startDate: '2026-11-01T05:30:00.000Z', status: 'cancelled', teamTwoName: 'Guest Foxes', timeZone: zone },
    ]);
  });

  it('are what the guide shows', async () => {
    const page = readFileSync(path.join(__dirname, '../../docs/integration-guide/spreadsheets.md'), 'utf8');
    const [roster, games, sheet] = [...page.matchAll(/^```csv\n([^]*?)^```$/gm)].map(([, text = '']) => ({ text }));
    await runImport(organization, { text: 'ID,Name,Jersey\n1,Alex Kim,22', ...owls });
    expect((await runImport(organization, { ...roster })).results).toEqual(created(2, 3));
    expect((await runImport(organization, { ...games, ...league })).results).toEqual(created(2, 3));
    const schedule = (await list('/schedules'))[0]?.['_id'] as string;
    const options = { kind: 'statistics', schedule } as const;
    expect((await runImport(organization, { ...sheet, ...options })).results).toEqual(created(2, 3));
  });
});
