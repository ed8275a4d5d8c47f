import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { TestBrowser } from '../support/browser.js';
import { openConsole } from '../support/console.js';
import { TestOrganization, type Stored } from '../support/organization.js';
import { RunningServer } from '../support/server.js';

// Below the path of a cell, also for the requests of the worker.
const server = RunningServer.forTests({ PUBLIC_URL: 'https://api.example.com/c2' });
const browser = TestBrowser.forTests(server, '/c2');
const organization = TestOrganization.forTests(server, beforeEach);
const folder = path.resolve(__dirname, '../../clients/typescript/test/files');
let owls: Stored;

beforeEach(async () => {
  const season = await organization.season({ name: 'Fall' });
  owls = await organization.team({ name: 'Lakeside Owls', season: season._id, externalId: 'lakeside-owls' });
});

const open = () => openConsole(browser, `/organizations/${organization.id}?tab=data`);
const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();
const status = (page: Page, text: string) => page.getByRole('status').getByText(text, { exact: true }).waitFor();
const tried = (counts: string) => `${counts} This was a dry run: nothing was written.`;
const done = (counts: string) => `${counts} The import is complete.`;

async function choose(page: Page, name: string, ...lines: string[]): Promise<void> {
  const content = { name, mimeType: 'text/csv', buffer: Buffer.from(lines.join('\n')) };
  await page.getByLabel('File', { exact: true }).setInputFiles(lines.length > 0 ? content : path.join(folder, name));
  await page.getByRole('table', { name: 'First rows of the file' }).waitFor();
}

/** Returns the name and the text of the file of rows that failed. */
async function downloadFailed(page: Page): Promise<[string, string]> {
  const download = page.waitForEvent('download');
  await press(page, 'Download failed rows');
  const file = await download;
  return [file.suggestedFilename(), readFileSync(await file.path(), 'utf8')];
}

async function list(of: string): Promise<Stored[]> {
  return ((await organization.call('get', of).expect(200)).body as { data: Stored[] }).data;
}

describe('a file of an organization in the console', () => {
  it('is mapped, tried and imported, and its failed rows are downloaded with the reasons', async () => {
    const page = await open();
    await choose(
      page,
      'roster.csv',
      'Mitgliedsnr.,Name,Team,Shirt',
      'M 1,Jordan Lee,Lakeside Owls,7',
      'M 2,Sam Fox,Hawks,8',
    );
    const fields = page.getByRole('table', { name: 'First rows of the file' }).getByRole('combobox');
    const chosen = () => fields.evaluateAll((all) => all.map((each) => (each as unknown as { value: string }).value));
    expect(await chosen()).toEqual(['', 'name', 'team', '']);
    await press(page, 'Dry run');
    await page.getByRole('alert').getByText('“ID from” "First Name').waitFor();
    await page.getByLabel('Field of Mitgliedsnr.').selectOption('External ID');
    await page.getByLabel('Field of Shirt').selectOption('Jersey number');
    await press(page, 'Dry run');
    await status(page, tried('1 created, 1 failed.'));
    expect(await chosen()).toEqual(['externalId', 'name', 'team', 'jerseyNumber']);
    expect(await list('/players')).toEqual([]);
    await press(page, 'Import');
    await status(page, done('1 created, 1 failed.'));
    const [player] = await list(`/teams/${owls._id}/players`);
    const expected = { externalId: 'M-1', name: 'Jordan Lee', jerseyNumber: '7', changedBy: { type: 'admin' } };
    expect(player).toMatchObject(expected);
    await page.getByText('1 team, 1 player, 0 schedules').waitFor();

    const reason = 'no team has the name or ID "Hawks": create it with “Create teams” “Season”, or correct it';
    await page.getByRole('table', { name: 'Rows with remarks' }).getByText(reason).waitFor();
    const quoted = `"${reason.replaceAll('"', '""')}"`;
    const lines = ['\uFEFFMitgliedsnr.,Name,Team,Shirt,Import problem', `M 2,Sam Fox,Hawks,8,${quoted}`, ''];
    expect(await downloadFailed(page)).toEqual(['failed-roster.csv', lines.join('\r\n')]);
  });

  it('can be an Excel workbook, whose reader is loaded only then', async () => {
    const page = await open();
    const scripts: string[] = [];
    page.on('request', (request) => scripts.push(request.url()));
    await choose(page, 'roster.csv', 'ID,Name', '1,A');
    const before = scripts.filter((url) => url.endsWith('.js')).length;
    await choose(page, 'roster-06-threestep.xlsx');
    expect(scripts.filter((url) => url.endsWith('.js')).length).toBeGreaterThan(before);
    await page.getByLabel('Team', { exact: true }).fill('Lakeside Owls');
    await page.getByLabel('ID from').fill('Athlete First Name,Athlete Last Name');
    await press(page, 'Dry run');
    await status(page, tried('2 created.'));
    await press(page, 'Import');
    await status(page, done('2 created.'));
    expect(await list(`/teams/${owls._id}/players`)).toHaveLength(2);
  });

  it('can have games, and the statistics of one of them', async () => {
    await organization.player(owls._id, { name: 'Jordan Lee', jerseyNumber: '7' });
    const page = await open();
    await page.getByLabel('Contents').selectOption('Schedules');
    await choose(page, 'games.csv', 'Game ID,Date,Time,Home,Visitor', 'g-1,9/6/2026,18:30,Lakeside Owls,Foxes');
    await press(page, 'Dry run');
    await page.getByRole('alert').getByText('“Dates”').waitFor();
    await page.getByLabel('Dates', { exact: true }).selectOption('Month first (9/6/2026)');
    await page.getByLabel('Zone', { exact: true }).fill('America/New_York');
    await press(page, 'Dry run');
    await status(page, tried('1 created.'));
    await press(page, 'Import');
    await status(page, done('1 created.'));
    expect(await list('/schedules')).toMatchObject([{ externalId: 'g-1', startDate: '2026-09-06T22:30:00.000Z' }]);

    await page.getByLabel('Contents').selectOption('Statistics of a game');
    await choose(page, 'sheet.csv', 'Jersey,C/ATT,Pass Yds', '7,14/22,180');
    await page.getByLabel('Schedule', { exact: true }).fill('g-1');
    await press(page, 'Dry run');
    await status(page, tried('1 created.'));
    await press(page, 'Import');
    await status(page, done('1 created.'));
    const [game] = await list('/schedules');
    const [row] = await list(`/schedules/${game?._id}/player-statistics`);
    expect(row).toMatchObject({
      playerName: 'Jordan Lee',
      category: 'qb',
      stats: { completions: 14, passAttempts: 22 },
    });

    await choose(page, 'sheet.csv', 'Jersey,FP', '7,1', '99,2');
    await press(page, 'Dry run');
    const reason = 'no player of the game has this number or name';
    const rows = ['\uFEFFJersey,FP,Import problem', '7,1,another row is wrong', `99,2,${reason}`, ''];
    expect(await downloadFailed(page)).toEqual(['failed-sheet.csv', rows.join('\r\n')]);
  });

  it('without names of columns is mapped by their numbers', async () => {
    const page = await open();
    await choose(page, 'players.csv', '1,Jordan Lee', '2,Sam Fox');
    await page.getByLabel('The file has names of columns').uncheck();
    await page.getByLabel('Field of 1', { exact: true }).selectOption('External ID');
    await page.getByLabel('Field of 2', { exact: true }).selectOption('Name');
    await page.getByLabel('Team', { exact: true }).fill('lakeside-owls');
    await press(page, 'Dry run');
    await status(page, tried('2 created.'));
  });
});
