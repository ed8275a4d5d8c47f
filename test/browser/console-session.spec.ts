import { randomUUID } from 'node:crypto';
import type { Page } from 'playwright-core';
import { createSuperAdmin } from '../support/admins.js';
import { isKeyAccepted } from '../support/api-keys.js';
import { TestBrowser } from '../support/browser.js';
import { dialogOf, failWith, heading, notice, openConsole, signIn, submit, takeLink } from '../support/console.js';
import { createOrganization } from '../support/organization.js';
import { eventually } from '../support/processes.js';
import { RunningServer, superAdmin } from '../support/server.js';

describe('the session of the console', () => {
  const server = RunningServer.forTests();
  const browser = TestBrowser.forTests(server);
  const signInAgain = (page: Page) => page.getByRole('dialog', { name: 'Sign in' });

  /** Ends the session of a page in another tab, which the page does not know yet. */
  async function endSession(page: Page): Promise<void> {
    const tab = await page.context().newPage();
    await tab.goto('/console');
    await tab.getByRole('button', { name: 'Sign out' }).click();
    await heading(tab, 'Sign in').waitFor();
    await tab.close();
  }

  it('starts with the login of a super admin, and comes back to the page that was asked for', async () => {
    const page = await browser.open('/console/audit?action=login');
    await signIn(page);
    await heading(page, 'Audit log').waitFor();
    expect(new URL(page.url()).search).toBe('?action=login');
    expect(await page.title()).toMatch(/^Audit log · /);
    await page.getByText(superAdmin.email).first().waitFor();
  });

  it('does not start with a wrong password, after too many of them, or for the creator of an organization', async () => {
    const page = await browser.open('/console');
    await signIn(page, { ...superAdmin, password: 'a wrong password' });
    await page.getByRole('alert').getByText('The email or the password is wrong').waitFor();
    await page.getByRole('button', { name: 'Copy request ID' }).waitFor();

    const headers = { 'Retry-After': '840' };
    const json = { error: 42902, message: 'Too many failed logins' };
    await page.route('**/auth/login', (route) => route.fulfill({ status: 429, headers, json }));
    await signIn(page);
    await page.getByRole('alert').getByText('Too many failed logins. Try again in 14 minutes.').waitFor();
    await page.getByRole('alert').getByText('another super admin for a password link').waitFor();
    await page.unroute('**/auth/login');

    const { creator } = await createOrganization(server);
    await signIn(page, creator);
    await page.getByRole('alert').getByText('Only super admins can use the console.').waitFor();
    await signIn(page);
    await heading(page, 'Overview').waitFor();
  });

  it('continues after a reload and in another tab, with nothing that scripts could read', async () => {
    const page = await openConsole(browser, '/keys');
    await page.reload();
    await heading(page, 'Keys').waitFor();
    const stored = await page.evaluate('JSON.stringify([localStorage, sessionStorage, document.cookie])');
    expect(stored).not.toMatch(/eyJ|root@example/);
    const tab = await page.context().newPage();
    await tab.goto('/console/audit');
    await heading(tab, 'Audit log').waitFor();
  });

  it('ends when the server rejects the token, and continues where it was', async () => {
    const page = await openConsole(browser, '/organizations');
    await failWith(page, '**/api-keys?*', 401, 'Invalid login or token');
    await page.getByRole('link', { name: 'Keys', exact: true }).click();
    await page.getByText('Your session has ended.').waitFor();
    await page.unroute('**/api-keys?*');
    await signIn(page);
    await heading(page, 'Keys').waitFor();
  });

  it('keeps a secret that is not stored yet, if it has ended when someone comes back to the page', async () => {
    const organization = await createOrganization(server);
    const page = await openConsole(browser, `/organizations/${organization.id}?tab=keys`);
    await page.getByRole('button', { name: 'Create key' }).click();
    await dialogOf(page).getByLabel('Name').fill('Not stored');
    await submit(page, 'Create key');
    const dialog = page.getByRole('dialog', { name: 'Store the key now' });
    const secret = await dialog.getByLabel('API key').inputValue();
    await endSession(page);
    await eventually(
      'data that is no longer fresh is read again when the page gets the focus',
      async () => {
        await page.evaluate(`dispatchEvent(new Event('visibilitychange'))`);
        return signInAgain(page).isVisible();
      },
      20,
    );
    for (let presses = 0; presses < 3; presses++) await page.keyboard.press('Escape');
    const isCovered = `document.elementFromPoint(innerWidth / 2, 300).closest('dialog') !== null`;
    expect(await page.evaluate(isCovered)).toBe(true);
    await signIn(page);
    await signInAgain(page).waitFor({ state: 'detached' });
    expect(await dialog.getByLabel('API key').inputValue()).toBe(secret);
    expect(await page.title()).toBe('Bay Area Flag Football · Flag Football console');
    await dialog.getByLabel('I have stored the key').check();
    await submit(page, 'Close');
    expect(await isKeyAccepted(organization, secret)).toBe(true);
    await page.getByRole('row', { name: /Not stored/ }).waitFor();
  });

  it('keeps a form that is filled in, which is sent again, but not for another user', async () => {
    const other = await createSuperAdmin(server);
    const organization = await createOrganization(server);
    const page = await openConsole(browser, `/organizations/${organization.id}?tab=people`);
    const open = async () => {
      await page.getByRole('button', { name: 'Create admin' }).click();
      await dialogOf(page).getByLabel('Name').fill('Sam Ortiz');
      await dialogOf(page).getByLabel('Email').fill(`${randomUUID()}@example.com`);
      await endSession(page);
      await submit(page, 'Create admin');
      await signInAgain(page).waitFor();
    };
    const form = page.getByRole('dialog', { name: 'Create admin' });
    await open();
    await signIn(signInAgain(page));
    await form.getByText('Your session had ended. Try again.').waitFor();
    await submit(page, 'Create admin');
    await takeLink(page);

    await open();
    await signIn(signInAgain(page), other);
    await page.getByRole('link', { name: `My account, ${other.email}` }).waitFor();
    await heading(page, 'Bay Area Flag Football').waitFor();
    expect(await dialogOf(page).count()).toBe(0);
  });

  it('ends when the user signs out, also after a reload and on the server, or says that it could not', async () => {
    const page = await openConsole(browser);
    await failWith(page, '**/auth/logout', 503, 'The database is unavailable.');
    await page.getByRole('button', { name: 'Sign out' }).click();
    await notice(page, 'You are still signed in. The database is unavailable.');
    await page.unroute('**/auth/logout');
    const sent = page.waitForRequest('**/api-keys?*');
    await page.getByRole('link', { name: 'Keys', exact: true }).click();
    const { authorization = '' } = await (await sent).allHeaders();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await heading(page, 'Sign in').waitFor();
    await page.reload();
    await heading(page, 'Sign in').waitFor();
    await server.call('get', '/auth/me').set('Authorization', authorization).expect(401);
  });

  it.each([
    ['/console/keys', '**/api-keys?*', 'Keys'],
    ['/console', '**/usage*', 'Traffic by organization'],
  ])('shows an error of the server at %s, with its request ID, and tries again', async (path, route, table) => {
    const page = await browser.open(path);
    await failWith(page, route, 500, 'Something went wrong');
    await signIn(page);
    const alert = page.getByRole('alert').first();
    await alert.getByText('Something went wrong').waitFor({ timeout: 30_000 });
    await alert.getByText('a-failed-request').waitFor();
    await page.unroute(route);
    await alert.getByRole('button', { name: 'Try again' }).click();
    await alert.waitFor({ state: 'hidden' });
    const loaded = page.getByRole('table', { name: table }).or(page.getByText(/^No |^Nothing /));
    await loaded.first().waitFor();
  });

  it('says once that the server is unreachable, and continues by itself', async () => {
    const page = await openConsole(browser, '/audit');
    const reads = /\/(organizations|users|audit-events)\?/;
    await page.route(reads, (route) => route.abort());
    await page.reload();
    const alerts = page.getByRole('alert');
    await alerts.getByText('The server is unreachable.').waitFor({ timeout: 30_000 });
    expect(await page.getByText('The server is unreachable.').count()).toBe(1);
    await page.unroute(reads);
    await page.getByRole('table', { name: 'Audit events' }).waitFor();
    await alerts.waitFor({ state: 'hidden' });
  });
});
