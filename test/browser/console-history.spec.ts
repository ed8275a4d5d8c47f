import { ObjectId } from 'mongodb';
import type { Page } from 'playwright-core';
import { TestBrowser } from '../support/browser.js';
import { dialogOf, heading, openConsole } from '../support/console.js';
import { historyUntil } from '../support/history.js';
import { eventuallyPasses } from '../support/processes.js';
import { createKey, type Stored, TestOrganization } from '../support/organization.js';
import { RunningServer, superAdmin } from '../support/server.js';
import { changesOf } from '../support/stored-events.js';

const server = RunningServer.forTests();
const browser = TestBrowser.forTests(server);
const organization = TestOrganization.forTests(server);
let season: Stored;
let hawks: Stored;
let foxes: Stored;

beforeAll(async () => {
  season = await organization.season({ name: 'Fall' });
  hawks = await organization.team({ name: 'Hawks', season: season._id });
  foxes = await organization.team({ name: 'Foxes', season: season._id });
});

const open = (path: string) =>
  openConsole(browser, `/organizations/${organization.id}${path}`, { locale: 'en-US', timezoneId: 'UTC' });

/** The rows of the changes to a revision, with `|` between the cells. */
async function changes(page: Page, revision: number): Promise<string[]> {
  const table = dialogOf(page).getByRole('table', { name: `Changes of revision ${revision}`, exact: true });
  const [, ...rows] = await table.getByRole('row').all();
  const cells = await Promise.all(rows.map((row) => row.getByRole('cell').allInnerTexts()));
  return cells.map((texts) => texts.join(' | ').replaceAll('\n', ' '));
}

async function openData(search: string, name: string): Promise<Page> {
  const page = await open(`?tab=data&search=${search}`);
  await page.getByRole('button', { name: 'Search', exact: true }).click();
  await page.getByRole('button', { name, exact: true }).click();
  await dialogOf(page).getByRole('tab', { name: 'History' }).click();
  await dialogOf(page).getByText('Created', { exact: true }).waitFor();
  return page;
}

describe('the history of a record in the console', () => {
  it('says which key and which person moved a game, from when to when, and leads to both', async () => {
    const game = { teamTwoId: foxes._id, teamTwoName: undefined, externalId: 'game-1', timeZone: 'America/Denver' };
    const { _id } = await organization.schedule(hawks._id, game);
    const scoreboard = await createKey(server, organization.id, { name: 'Scoreboard' });
    const [from, to] = ['2027-05-02T01:00:00Z', '2027-05-03T17:30:00Z'];
    const body = { teamId: hawks._id, startDate: from };
    await organization.call('patch', `/schedules/${_id}`, scoreboard.apiKey).send(body).expect(200);
    const rows = [{ ...game, teamId: hawks._id, startDate: to }];
    const path = `/organizations/${organization.id}/schedules/bulk`;
    await server.asSuperAdmin('post', path).send({ rows }).expect(200);
    await historyUntil(organization, `/schedules/${_id}`, 3);
    // Somebody else has imported a little earlier.
    const events = (await server.database()).collection('auditEvents');
    const imported = await events.findOne({ action: 'importRecords', organizationId: new ObjectId(organization.id) });
    const other = {
      _id: new ObjectId(),
      at: new Date(Number(imported?.['at']) - 20_000),
      actor: { email: 'kim@example.com' },
    };
    await events.insertOne({ ...imported, ...other });

    const page = await open(`/seasons/${season._id}`);
    await page.setViewportSize({ width: 360, height: 800 });
    await page.getByRole('button', { name: 'Hawks vs Foxes' }).focus();
    await page.keyboard.press('Enter');
    await dialogOf(page).getByRole('tab', { name: 'Details' }).press('ArrowRight');
    const revision = (number: number) => dialogOf(page).getByRole('region', { name: `Revision ${number}` });
    await revision(3).getByText(`by ${superAdmin.email}`).waitFor();
    await revision(2).getByText(`by the key Scoreboard (${scoreboard.keyPrefix}…)`).waitFor();
    expect(await dialogOf(page).getByRole('heading', { level: 3 }).allInnerTexts()).toEqual([
      'Changed',
      'Changed',
      'Created',
    ]);
    expect(await changes(page, 3)).toContain(
      'Start date | May 1, 2027, 7:00 PM America/Denver | May 3, 2027, 11:30 AM America/Denver',
    );
    expect(await changes(page, 2)).toContain(
      'Start date | May 1, 2027, 4:00 AM America/Denver | May 1, 2027, 7:00 PM America/Denver',
    );
    // Names of records are read after the history.
    const names = ['Team one | Hawks', 'Team two | Foxes', 'Season | Fall'];
    await eventuallyPasses(async () => expect(await changes(page, 1)).toEqual(expect.arrayContaining(names)));
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Hawks vs Foxes' }).and(page.locator(':focus')).press('Enter');
    await dialogOf(page).getByRole('tab', { name: 'History' }).click();
    await dialogOf(page).getByRole('link', { name: superAdmin.email }).click();
    await page.getByRole('table', { name: 'Audit events' }).getByRole('button', { name: 'Import records' }).waitFor();
    await page.goBack();
    await page.getByRole('button', { name: 'Hawks vs Foxes' }).click();
    await dialogOf(page).getByRole('tab', { name: 'History' }).click();
    await dialogOf(page).getByRole('link', { name: 'Scoreboard' }).click();
    await page.getByRole('table', { name: 'Keys' }).getByRole('link', { name: 'Scoreboard' }).click();
    await heading(page, 'Scoreboard').waitFor();
  });

  it('says who moved a player to another team, by name, and each view of it is audited', async () => {
    const player = await organization.player(hawks._id, { name: 'Robin Reyes' });
    const path = (team: Stored) => `/teams/${team._id}/players/${player._id}`;
    await organization.call('patch', path(hawks)).send({ teamId: foxes._id }).expect(200);
    await historyUntil(organization, path(foxes), 2);
    const page = await openData(player._id, 'Robin Reyes');
    await dialogOf(page).getByText('Moved to another team').waitFor();
    await eventuallyPasses(async () => expect(await changes(page, 2)).toEqual(['Team | Hawks | Foxes']));
    await page.keyboard.press('Escape');
    // The search and the history.
    expect((await changesOf(server, player._id)).map(({ action }) => action)).toEqual(['readPlayer', 'readPlayer']);
  });

  it('is found by the ID of a deleted record, and on the page of a season', async () => {
    const { _id } = await organization.team({ name: 'Bears' });
    await organization.call('delete', `/teams/${_id}`).expect(200);
    await historyUntil(organization, `/teams/${_id}`, 2);
    const page = await open(`?tab=data&search=${_id}`);
    await page.getByRole('button', { name: 'Search', exact: true }).click();
    await page.getByRole('button', { name: 'View team history' }).click();
    await dialogOf(page).getByRole('heading', { name: 'Deleted' }).waitFor();
    await dialogOf(page)
      .getByRole('region', { name: 'Revision 2' })
      .getByText(/ by the key Registration/)
      .waitFor();
    const { _id: id } = await organization.season({ name: 'Winter' });
    await server.asSuperAdmin('patch', `/seasons/${id}`).send({ name: 'Spring' }).expect(200);
    await page.goto(`/console/organizations/${organization.id}/seasons/${id}`);
    await page.getByRole('button', { name: 'View history' }).click();
    await dialogOf(page).getByRole('region', { name: 'Revision 2' }).getByText(`by ${superAdmin.email}`).waitFor();
    expect(await changes(page, 2)).toEqual(['Name | Winter | Spring']);
  });
});
