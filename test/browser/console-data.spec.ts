import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { ObjectId } from 'mongodb';
import type { Page } from 'playwright-core';
import { updateOrganization } from '../support/admins.js';
import { TestBrowser } from '../support/browser.js';
import { dialogOf, failWith, heading, notice, openConsole, submit } from '../support/console.js';
import { createFullOrganization, type FullOrganization, knownExternalId } from '../support/full-organization.js';
import { createOrganization } from '../support/organization.js';
import { eventually } from '../support/processes.js';
import { RunningServer } from '../support/server.js';
import { changesOf } from '../support/stored-events.js';

const server = RunningServer.forTests();
const browser = TestBrowser.forTests(server);

const open = (id: string) => openConsole(browser, `/organizations/${id}?tab=data`, { locale: 'en-US' });

async function search(page: Page, text: string, found: string): Promise<void> {
  await page.getByRole('searchbox', { name: 'Search records' }).fill(text);
  const result = page.getByText(`Found: ${found}.`);
  const isFound = async () => {
    await page.getByRole('button', { name: 'Search' }).click();
    return result.waitFor({ timeout: 8_000 }).then(
      () => true,
      () => false,
    );
  };
  // The page does not repeat a search that a busy server refuses.
  await eventually('the search succeeds', isFound, 40);
}

const factsOf = (page: Page, name: string) => dialogOf(page).getByRole('table', { name });

describe('the data of an organization in the console', () => {
  let full: FullOrganization;

  beforeAll(async () => {
    full = await createFullOrganization(server, 'Aguilas');
  });

  const addPlayer = () => full.organization.player(full.team._id, { name: `Jordan ${randomUUID()}` });

  it('are found by external ID, with all fields, who changed them, their season and their audit events', async () => {
    const page = await open(full.organization.id);
    await search(page, knownExternalId, '1 team, 1 player, 1 schedule');
    expect(new URL(page.url()).search).toBe('?tab=data');
    const schedules = page.getByRole('table', { name: 'Schedules' });
    await schedules.getByRole('cell', { name: /, 20\d\d, \d+:\d\d [AP]M/ }).waitFor();
    await schedules.getByRole('button').click();
    const record = factsOf(page, 'Record');
    await record.getByRole('row', { name: 'Team Aguilas team' }).waitFor();
    await record.getByRole('row', { name: /^Last change .* by the key Registration platform \(ffk_.*…\)$/ }).waitFor();
    await factsOf(page, 'Fields').getByRole('row', { name: 'Location name Aguilas field' }).waitFor();
    await dialogOf(page).getByRole('button', { name: 'Close' }).click();

    await page.getByRole('button', { name: 'Aguilas player', exact: true }).click();
    await record.getByRole('link', { name: 'Events about this record' }).click();
    const events = page.getByRole('table', { name: 'Audit events' });
    await events.getByRole('button', { name: 'View player' }).first().waitFor();

    await page.goBack();
    await search(page, full.team._id, '1 team, 0 players, 0 schedules');
    await page.getByRole('button', { name: 'Aguilas team' }).click();
    await record.getByRole('link', { name: 'Aguilas season' }).click();
    await heading(page, 'Aguilas season').waitFor();
  });

  it('are found by the beginning of a name, and only when asked, because that is audited', async () => {
    const { _id, name } = await addPlayer();
    const page = await open(full.organization.id);
    await page.getByRole('searchbox').fill(String(name).slice(0, 20));
    await page.getByText(/players, 2 schedules/).waitFor();
    expect(await changesOf(server, _id)).toEqual([]);
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: String(name), exact: true }).waitFor();
    expect((await changesOf(server, _id)).map(({ action }) => action)).toEqual(['readPlayer']);
    await search(page, 'Nobody', '0 teams, 0 players, 0 schedules');
    await page.getByText('Nothing found').waitFor();
  });

  it('include players, who are found by last name or email, and exported and erased in their panel', async () => {
    const [last, email] = [`Schmidt${randomUUID()}`, `${randomUUID()}@example.com`];
    const { _id, name } = await full.organization.player(full.team._id, { name: `Mia ${last}`, email });
    const page = await open(full.organization.id);
    await search(page, email, '0 teams, 1 player, 0 schedules');
    await search(page, last.slice(0, 20), '0 teams, 1 player, 0 schedules');
    await page.getByRole('row', { name: new RegExp(`Mia ${last} .* Aguilas team`) }).waitFor();
    await page.getByRole('button', { name: String(name), exact: true }).click();
    await factsOf(page, 'Fields')
      .getByRole('row', { name: `Email ${email}` })
      .waitFor();
    const button = dialogOf(page).getByRole('button', { name: 'Export player' });
    await button.click();
    const confirmation = page.getByRole('dialog', { name: /^Export player/ });
    await confirmation.waitFor();
    await page.keyboard.press('Escape');
    await confirmation.waitFor({ state: 'hidden' });
    await button.and(page.locator(':focus')).click();
    const download = page.waitForEvent('download');
    await confirmation.getByRole('button', { name: 'Export player' }).click();
    const file = await download;
    expect(file.suggestedFilename()).toBe(`player-${_id}.json`);
    expect(JSON.parse(readFileSync(await file.path(), 'utf8'))).toMatchObject({ player: { _id, name } });
    await notice(page, 'The player was exported.');

    await dialogOf(page).getByRole('button', { name: 'Erase player' }).click();
    const erasure = page.getByRole('dialog', { name: /^Erase player/ });
    await erasure.getByLabel(`Type “${String(name)}” to confirm`).fill(String(name));
    await erasure.getByRole('button', { name: 'Erase player' }).click();
    await notice(page, /^The player is erased\. Statistics stay/);
    await page.locator('input[type=search][value=""]:focus').waitFor();
    await search(page, _id, '0 teams, 0 players, 0 schedules');
  });

  it('include deleted players, who are erased by their ID', async () => {
    const { _id, teamId } = await addPlayer();
    await full.organization.call('delete', `/teams/${String(teamId)}/players/${_id}`).expect(200);
    const page = await open(full.organization.id);
    await search(page, _id, '0 teams, 0 players, 0 schedules');
    await page.getByRole('button', { name: 'Erase player' }).click();
    await dialogOf(page).getByLabel(`Type “${_id}” to confirm`).fill(_id);
    await submit(page, 'Erase player');
    await notice(page, /^The player is erased/);
    await search(page, _id, '0 teams, 0 players, 0 schedules');
    await page.getByRole('button', { name: 'Export player' }).click();
    await submit(page, 'Export player');
    await dialogOf(page).getByText(`No player has the ID ${_id}`).waitFor();
  });
});

describe('an organization in the console', () => {
  it('is erased when it is disabled and its name is typed', async () => {
    const name = `League ${randomUUID()}`;
    const { id } = await createOrganization(server, name);
    const page = await open(id);
    await page.getByText(/^Disable the organization first/).waitFor();
    await page.getByRole('button', { name: 'Disable organization' }).click();
    await dialogOf(page).getByLabel(`Type “${name}” to confirm`).fill(name);
    await submit(page, 'Disable organization');
    await page.getByRole('button', { name: 'Erase organization' }).click();
    await failWith(page, '**/erase', 500, 'Something went wrong');
    await dialogOf(page).getByLabel(`Type “${name}” to confirm`).fill(name);
    await submit(page, 'Erase organization');
    await dialogOf(page).getByText('Something went wrong').waitFor();
    await page.unroute('**/erase');
    await submit(page, 'Erase organization');
    await notice(page, 'The organization is being erased.');
    await page.getByText('This takes at least 30 seconds').waitFor();
    expect(await page.getByRole('button', { name: 'Enable organization' }).isVisible()).toBe(false);

    const organizations = (await server.database()).collection('organizations');
    const began = { $set: { erasingSince: new Date(Date.now() - 120_000) } };
    await organizations.updateOne({ _id: new ObjectId(id) }, began);
    await notice(page, `${name} is erased. Its audit events stay, without names of users.`);
    await heading(page, 'Organizations').waitFor();
    expect((await updateOrganization(server, id, { name })).status).toBe(404);
  });
});
