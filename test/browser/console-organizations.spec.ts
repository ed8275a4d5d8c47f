import { randomUUID } from 'node:crypto';
import { isKeyAccepted } from '../support/api-keys.js';
import { TestBrowser } from '../support/browser.js';
import {
  chooseAction,
  dialogOf,
  failWith,
  heading,
  notice,
  openConsole,
  submit,
  takeLink,
} from '../support/console.js';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { RunningServer } from '../support/server.js';

describe('the organizations in the console', () => {
  const server = RunningServer.forTests();
  const browser = TestBrowser.forTests(server);
  let organization: TestOrganization;
  let name: string;
  const open = (tab = 'people') => openConsole(browser, `/organizations/${organization.id}?tab=${tab}`);

  /** Sets a password with the token of a link, and returns it. */
  async function setPassword(link: string): Promise<string> {
    const newPassword = `new ${randomUUID()}`;
    const reset = { token: link.split('#')[1], newPassword };
    await server.call('post', '/auth/password-reset').send(reset).expect(200);
    return newPassword;
  }

  beforeEach(async () => {
    name = `League ${randomUUID()}`;
    organization = await createOrganization(server, name);
  });

  it('are created with a creator whose email is free, as sandboxes, which the page marks, and get their first key', async () => {
    const created = `Created ${randomUUID()}`;
    const email = `${randomUUID()}@example.com`;
    const page = await openConsole(browser, '/organizations');
    await page.getByRole('button', { name: 'Create organization' }).click();
    await dialogOf(page).getByLabel('Organization name').fill(created);
    await dialogOf(page).getByLabel('Creator’s name').fill('Dana Reyes');
    await dialogOf(page)
      .getByRole('checkbox', { name: /^Sandbox/ })
      .check();
    const field = dialogOf(page).getByLabel('Creator’s email');
    await field.fill('not an email');
    await submit(page, 'Create organization');
    await field.and(page.locator('[aria-invalid=true]')).waitFor();
    await field.fill(organization.creator.email);
    await submit(page, 'Create organization');
    await dialogOf(page).getByRole('alert').getByText(/email/i).waitFor();
    await field.fill(email);
    await submit(page, 'Create organization');
    const password = await setPassword(await takeLink(page));
    await heading(page, created).waitFor();
    await notice(page, `${created} was created. Create a key for it next.`);
    await page.getByText('Sandbox', { exact: true }).waitFor();
    expect(await server.login(email, password)).toMatch(/^ey/);

    await page.getByRole('button', { name: 'Create key' }).click();
    await dialogOf(page).getByLabel('Name').fill('First key');
    await submit(page, 'Create key');
    const secret = await dialogOf(page).getByLabel('API key').inputValue();
    expect(secret).toMatch(/^ffk_test_/);
    expect(await isKeyAccepted(organization, secret)).toBe(true);
  });

  it('are found by a part of their name', async () => {
    const page = await openConsole(browser, '/organizations');
    await page.getByRole('searchbox', { name: 'Search organizations' }).fill(name.slice(2).toUpperCase());
    const rows = page.getByRole('table', { name: 'Organizations' }).getByRole('row');
    await page.getByText('1–1 of 1').waitFor();
    expect(await rows.count()).toBe(2); // with the headers
    await page.getByRole('searchbox').fill(`${name} not`);
    await page.getByText('No matching organizations').waitFor();
    await page.getByRole('button', { name: 'Clear search' }).click();
    await rows.first().waitFor();
    await page.getByRole('searchbox').fill(name);
    await page.getByText('1–1 of 1').waitFor();
    await page.getByRole('link', { name: 'Organizations', exact: true }).click();
    await page.locator('input[type=search][value=""]').waitFor();
  });

  it('are renamed, and stay on the page if reading them again fails', async () => {
    const page = await open();
    await page.getByRole('button', { name: 'Rename organization' }).click();
    await dialogOf(page).getByLabel('Name').fill(`${name} renamed`);
    await submit(page, 'Rename organization');
    await heading(page, `${name} renamed`).waitFor();
    await notice(page, 'The organization was renamed.');
    await page.getByRole('button', { name: 'Dismiss message' }).click();
    await page.getByText('The organization was renamed.').waitFor({ state: 'hidden' });

    const people = page.getByRole('table', { name: 'People' });
    await people.waitFor();
    await failWith(page, '**/users?*', 500, 'Something went wrong');
    await page.getByRole('button', { name: 'Rename organization' }).click();
    await submit(page, 'Rename organization');
    await page.getByRole('alert').getByText('Something went wrong').waitFor();
    expect(await people.isVisible()).toBe(true);
  });

  it('are disabled when their name is typed, and enabled again', async () => {
    const page = await open();
    await page.getByRole('button', { name: 'Disable organization' }).click();
    const disable = dialogOf(page).getByRole('button', { name: 'Disable organization' });
    await dialogOf(page).getByLabel(`Type “${name}” to confirm`).fill('another name');
    expect(await disable.isDisabled()).toBe(true);
    await dialogOf(page).getByLabel(`Type “${name}” to confirm`).fill(name);
    await disable.click();
    await notice(page, 'The organization is disabled.');
    expect(await isKeyAccepted(organization, organization.key.apiKey)).toBe(false);

    // Below the pointer a notice stays, unless another one replaces it.
    await page.getByText('The organization is disabled.').hover();
    await page.getByRole('button', { name: 'Enable organization' }).press('Enter');
    await dialogOf(page).getByRole('button', { name: 'Enable organization' }).press('Enter');
    await notice(page, 'The organization is enabled.');
    await page.getByText('The organization is disabled.').waitFor({ state: 'hidden' });
    expect(await isKeyAccepted(organization, organization.key.apiKey)).toBe(true);
  });

  it('get admins, who can be disabled', async () => {
    const adminEmail = `${randomUUID()}@example.com`;
    const page = await open();
    await page.getByRole('button', { name: 'Create admin' }).click();
    await dialogOf(page).getByLabel('Name').fill('Kim Park');
    await dialogOf(page).getByLabel('Email').fill('not an email');
    await submit(page, 'Create admin');
    const email = dialogOf(page).getByLabel('Email');
    await email.and(page.locator('[aria-invalid=true]')).waitFor();
    await email.fill(adminEmail);
    await submit(page, 'Create admin');
    const login = { email: adminEmail, password: await setPassword(await takeLink(page)) };
    await server.call('post', '/auth/login').send(login).expect(200);

    await chooseAction(page, 'Kim Park', 'Disable user');
    await dialogOf(page).getByLabel('Type “Kim Park” to confirm').fill('Kim Park');
    await submit(page, 'Disable user');
    await notice(page, 'The user is disabled.');
    await server.call('post', '/auth/login').send(login).expect(401);
  });

  it('have seasons, which can be edited, and whose times stay the same, to the second, when they are renamed', async () => {
    await organization.season({ name: 'Spring 2027' });
    const endDate = '2027-11-30T23:59:59.000Z';
    await organization.season({ name: 'Fall 2027', endDate });
    const page = await open('seasons');
    await chooseAction(page, 'Spring 2027', 'Edit season');
    await dialogOf(page).getByLabel('End').fill('2027-02-01T00:00');
    await submit(page, 'Save changes');
    await dialogOf(page).getByText('Must be after “Start”').waitFor();
    await dialogOf(page).getByLabel('End').fill('2027-07-31T00:00');
    await dialogOf(page).getByLabel('Name').fill('Spring and summer 2027');
    await submit(page, 'Save changes');
    await notice(page, 'The season was saved.');
    await page.getByRole('row', { name: /Spring and summer 2027/ }).waitFor();

    await chooseAction(page, 'Fall 2027', 'Edit season');
    await dialogOf(page).getByLabel('Name').fill('Late season');
    await submit(page, 'Save changes');
    await page.getByRole('row', { name: /Late season/ }).waitFor();
    const stored = await organization.call('get', '/seasons').expect(200);
    expect(stored.body).toMatchObject({
      data: expect.arrayContaining([expect.objectContaining({ endDate })]) as object,
    });
  });

  it('show an error if there is no such organization', async () => {
    const page = await openConsole(browser, '/organizations/6650f1f77bcf86cd79943911');
    await page
      .getByRole('alert')
      .getByText(/organization/i)
      .waitFor();
    await page.goto(page.url().replace(/\w+$/, 'null'));
    await page.getByRole('alert').getByText('the link is incomplete').waitFor();
  });
});
