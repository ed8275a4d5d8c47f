import type { Page } from 'playwright-core';
import { TestBrowser } from '../support/browser.js';
import { chooseAction, dialogOf, heading, notice, openConsole, submit } from '../support/console.js';
import { createOrganization, type Stored, type TestOrganization } from '../support/organization.js';
import { RunningServer } from '../support/server.js';

describe('the seasons of an organization in the console', () => {
  const server = RunningServer.forTests();
  const browser = TestBrowser.forTests(server);
  let organization: TestOrganization;
  let season: Stored;

  beforeAll(async () => {
    organization = await createOrganization(server);
    season = await organization.season({ name: 'Fall 2027' });
    await organization.season({ name: 'Shared season', organizationId: undefined });
    const team = (name: string, fields = {}) => organization.team({ name, season: season._id, ...fields });
    const [hawks, foxes] = [await team('Hawks', { externalId: 'erp-1' }), await team('Foxes')];
    const play = (hour: number, fields: object) => {
      const opponent = { teamTwoId: foxes._id, teamTwoName: undefined };
      return organization.schedule(hawks._id, { ...opponent, startDate: `2027-05-01T${hour}:00:00Z`, ...fields });
    };
    const result = { status: 'final', teamOneScore: 21, teamTwoScore: 14 };
    await play(16, { ...result, timeZone: 'America/Denver', externalId: 'game-1' });
    const semifinal = await play(17, { status: 'forfeited', forfeitedBy: 'teamTwo' });
    const title = { teamId: hawks._id, eventTitle: 'Semifinal' };
    await organization.call('patch', `/schedules/${semifinal._id}`).send(title).expect(200);
    await play(18, { ...result, isScrimmage: true });
    await organization.schedule(foxes._id, { ...result, teamTwoName: 'Guests', startDate: '2027-05-01T19:00:00Z' });
    const other = await organization.team({ name: 'Owls' });
    await play(20, { ...result, teamTwoId: other._id });
    for (let game = 0; game < 16; game++) await play(21, {});
  });

  const open = (query = '') =>
    openConsole(browser, `/organizations/${organization.id}/seasons/${season._id}${query}`, { locale: 'en-US' });
  /** The texts of the rows of a table, without its headers. */
  async function rowsOf(page: Page, name: string): Promise<string[]> {
    const table = page.getByRole('table', { name });
    await table.waitFor();
    const [, ...rows] = await table.getByRole('row').allInnerTexts();
    return rows.map((row) => row.split(/\s*[\n\t]\s*/).join(' | '));
  }

  it('show their standings and games, from the list of seasons', async () => {
    const page = await openConsole(browser, `/organizations/${organization.id}?tab=seasons`, { locale: 'en-US' });
    const seasons = page.getByRole('table', { name: 'Seasons' });
    await seasons.getByRole('row', { name: /Shared season Shared with all organizations/ }).waitFor();
    await seasons.getByRole('link', { name: 'Fall 2027' }).click();

    await heading(page, 'Fall 2027').and(page.locator(':focus')).waitFor();
    await page.getByText('Default rules').waitFor();
    expect(await rowsOf(page, 'Standings')).toEqual([
      '1. Hawks | erp-1 | 2 | 2 | 0 | 0 | 0 | 21–14 | 7 | 1.000 | 4 | Win percentage',
      '2. Foxes | 2 | 0 | 2 | 0 | 1 | 14–21 | -7 | 0.000 | 0 | –',
    ]);
    expect((await rowsOf(page, 'Games')).slice(0, 6)).toEqual([
      'Hawks vs Foxes | May 1, 2027, 10:00 AM | America/Denver | 21–14 | Final | game-1',
      'Hawks vs Foxes | Semifinal | May 1, 2027, 5:00 PM | UTC | – | Forfeited | by Foxes | –',
      'Hawks vs Foxes | Scrimmage: does not count | May 1, 2027, 6:00 PM | UTC | 21–14 | Final | –',
      'Foxes vs Guests | Guest opponent: does not count | May 1, 2027, 7:00 PM | UTC | 21–14 | Final | –',
      'Hawks vs Owls | Opponent of another season: does not count | May 1, 2027, 8:00 PM | UTC | 21–14 | Final | –',
      'Hawks vs Foxes | Another game of these teams starts at the same time | May 1, 2027, 9:00 PM | UTC | – | Scheduled | –',
    ]);
  });

  it('show the rules of the table, and the values of the teams that were equal', async () => {
    const standings = {
      ...{ tiebreakers: ['forfeits', 'pointsFor'], differenceCap: 28, winPoints: 3, tiePoints: 0 },
      forfeitScore: { winner: 1, loser: 0 },
    };
    const { _id } = await organization.season({ standings });
    const [owls, bears] = [
      await organization.team({ name: 'Owls', season: _id }),
      await organization.team({ name: 'Bears', season: _id }),
    ];
    const game = { teamTwoId: bears._id, teamTwoName: undefined, status: 'final', teamOneScore: 9, teamTwoScore: 6 };
    await organization.schedule(owls._id, game);
    const page = await openConsole(browser, `/organizations/${organization.id}/seasons/${_id}`);
    // prettier-ignore
    await page.getByText('Order: forfeits, points for. Difference of a game: at most 28. Points of a win: 3. Points of a tie: 0. Forfeits without scores: 1–0').waitFor();
    await page.getByRole('button', { name: 'Points for' }).click();
    const equal = dialogOf(page).getByRole('table', { name: 'Equal teams' });
    await equal.waitFor();
    expect((await equal.getByRole('row').allInnerTexts()).map((row) => row.split(/\s*[\n\t]\s*/))).toEqual([
      ['Team', 'Forfeits', 'Points for'],
      ['1. Owls', '0', '9'],
      ['2. Bears', '0', '6'],
    ]);
  });

  it('lead to their teams and games, and scroll as a table on a phone', async () => {
    const page = await open();
    await page.setViewportSize({ width: 360, height: 800 });
    const table = page.getByRole('table', { name: 'Standings' });
    const [team, played] = [
      table.getByRole('link', { name: '1. Hawks' }),
      table.getByRole('columnheader', { name: 'Played' }),
    ];
    await played.waitFor();
    expect((await played.boundingBox())?.y).toBeLessThan((await team.boundingBox())?.y ?? 0);
    await table.getByRole('button', { name: 'Win percentage' }).scrollIntoViewIfNeeded();
    expect((await team.boundingBox())?.x).toBeGreaterThan(0);
    await page.getByRole('button', { name: 'Hawks vs Foxes' }).first().click();
    const start = { name: 'Start date May 1, 2027, 10:00 AM America/Denver' };
    await dialogOf(page).getByRole('row', start).waitFor();
    await page.keyboard.press('Escape');
    await team.click();
    expect(await page.getByLabel('Search records').inputValue()).toMatch(/^[0-9a-f]{24}$/);
    await page.getByRole('button', { name: 'Search', exact: true }).click();
    await page.getByRole('table', { name: 'Teams' }).getByRole('button', { name: 'Hawks' }).waitFor();
  });

  it('are shared with all organizations on request, and a change of them says so', async () => {
    const page = await openConsole(browser, `/organizations/${organization.id}?tab=seasons`);
    await page.getByRole('button', { name: 'Create season' }).click();
    await dialogOf(page).getByLabel('Name').fill('National season');
    await dialogOf(page).getByLabel('Start').fill('2027-02-01T00:00');
    await dialogOf(page).getByLabel('End').fill('2027-07-31T00:00');
    await dialogOf(page).getByLabel('Shared with all organizations').check();
    await submit(page, 'Create season');
    await notice(page, 'The season was created.');
    await chooseAction(page, 'National season', 'Edit season');
    await dialogOf(page).getByText('All organizations share this season.').waitFor();
    await dialogOf(page).getByLabel('Name').fill('Renamed season');
    await submit(page, 'Save changes');
    await notice(page, 'The season was saved.');
    const other = await createOrganization(server);
    const { data } = (await other.call('get', '/seasons').expect(200)).body as { data: { name: string }[] };
    expect(data).toContainEqual(expect.objectContaining({ name: 'Renamed season' }));
  });

  it('filter games by status and page them, which the address keeps', async () => {
    const page = await open();
    await page.getByText('1–20 of 21').waitFor();
    await page.getByRole('button', { name: 'Next page' }).click();
    await page.getByText('21–21 of 21').waitFor();
    await page.getByLabel('Status of the games').selectOption('Final');
    await page.getByText('1–4 of 4').waitFor();
    expect(new URL(page.url()).search).toBe('?status=final');
    await page.getByLabel('Status of the games').selectOption('Postponed');
    await page.getByText('No matching games').waitFor();
    await page.getByRole('button', { name: 'Show all games' }).click();
    await page.getByText('1–20 of 21').waitFor();
  });
});
