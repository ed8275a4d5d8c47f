import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { TestBrowser } from '../support/browser.js';
import { dialogOf, heading, notice, openConsole, signIn, submit } from '../support/console.js';
import { codeOf, wrongCodeOf } from '../support/second-factor.js';
import { RunningServer, superAdmin } from '../support/server.js';

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

/** Waits for an error at a field of the dialog, which then has the focus, and for nothing else that changes. */
async function rejectedAt(page: Page, label: string, message: string): Promise<void> {
  await dialogOf(page).getByText(message).waitFor();
  await dialogOf(page).getByLabel(label, { exact: true }).and(page.locator(':focus')).waitFor();
  await heading(page, 'My account').waitFor();
}

/** Opens the dialog of the second factor, sends the password, and returns the secret to type into an app. */
async function startSetUp(page: Page): Promise<string> {
  await button(page, 'Set up second factor').click();
  await sendPassword(page, superAdmin.password);
  await dialogOf(page).getByRole('img', { name: 'QR code of the secret' }).waitFor();
  return dialogOf(page).locator('code').innerText();
}

async function sendPassword(page: Page, password: string): Promise<void> {
  await dialogOf(page).getByLabel('Password', { exact: true }).fill(password);
  await submit(page, 'Continue');
}

async function confirm(page: Page, code: string): Promise<void> {
  await dialogOf(page).getByLabel('Code', { exact: true }).fill(code);
  await submit(page, 'Confirm code');
}

/** Downloads the recovery codes, which Escape does not close, says that they are stored, and returns them. */
async function storeRecoveryCodes(page: Page): Promise<string[]> {
  await dialogOf(page).getByText('Store the recovery codes now').waitFor();
  await page.keyboard.press('Escape');
  const download = page.waitForEvent('download');
  await submit(page, 'Download recovery codes');
  const codes = readFileSync(await (await download).path(), 'utf8').trim();
  expect(await dialogOf(page).getByLabel('Recovery codes', { exact: true }).inputValue()).toBe(codes);
  await dialogOf(page).getByLabel('I have stored the recovery codes').check();
  await submit(page, 'Close');
  return codes.split('\n');
}

async function fillPasswords(page: Page, current: string, renewed: string, repeated = renewed): Promise<void> {
  await dialogOf(page).getByLabel('Current password', { exact: true }).fill(current);
  await dialogOf(page).getByLabel('New password', { exact: true }).fill(renewed);
  await dialogOf(page).getByLabel('New password again', { exact: true }).fill(repeated);
  await submit(page, 'Change password');
}

describe('the own account in the console', () => {
  const server = RunningServer.forTests({});
  const browser = TestBrowser.forTests(server);

  it('has a second factor: it is set up, used to sign in, and removed', async () => {
    const page = await openConsole(browser);
    await page.getByRole('link', { name: `My account, ${superAdmin.email}` }).click();
    await page.getByRole('row', { name: 'Role Super admin' }).waitFor();

    await button(page, 'Set up second factor').click();
    await sendPassword(page, 'a wrong password');
    await rejectedAt(page, 'Password', 'The password is wrong');
    await button(page, 'Cancel').click();
    const secret = await startSetUp(page);
    await confirm(page, wrongCodeOf(secret));
    await rejectedAt(page, 'Code', 'The code of the second factor is wrong or was already used');
    await confirm(page, codeOf(secret));
    const [recoveryCode = '', ...others] = await storeRecoveryCodes(page);
    expect(others).toHaveLength(9);
    await button(page, 'Remove second factor').waitFor();
    await page.reload();
    await heading(page, 'My account').waitFor();

    await page.getByRole('button', { name: 'Sign out' }).click();
    await signIn(page);
    await page.getByLabel('Code or recovery code').fill(codeOf(secret, 1));
    await button(page, 'Sign in').click();

    await button(page, 'Remove second factor').click();
    await dialogOf(page).getByLabel('Password', { exact: true }).fill('a wrong password');
    await dialogOf(page).getByLabel('Code or recovery code').fill(recoveryCode);
    await submit(page, 'Remove second factor');
    await rejectedAt(page, 'Password', 'The password is wrong');
    await dialogOf(page).getByLabel('Password', { exact: true }).fill(superAdmin.password);
    await submit(page, 'Remove second factor');
    await notice(page, 'The second factor was removed.');
    await button(page, 'Set up second factor').waitFor();
  });

  it('has a password, whose change keeps this session and ends the others', async () => {
    const renewed = 'another password for tests';
    const [page, other] = [await openConsole(browser, '/account'), await openConsole(browser, '/account')];
    await button(page, 'Change password').click();
    await fillPasswords(page, superAdmin.password, renewed, 'something else');
    await rejectedAt(page, 'New password again', 'The new passwords differ');
    await fillPasswords(page, 'a wrong password', renewed);
    await rejectedAt(page, 'Current password', 'The current password is wrong');
    await fillPasswords(page, superAdmin.password, renewed);
    await notice(page, 'Your password was changed.');

    await page.getByRole('link', { name: 'Keys', exact: true }).click();
    await heading(page, 'Keys').waitFor();
    await page.reload();
    await heading(page, 'Keys').waitFor();
    await other.getByRole('link', { name: 'Keys', exact: true }).click();
    await other.getByText('Your session has ended.').waitFor();
    await signIn(other, { ...superAdmin, password: renewed });
    await heading(other, 'Keys').waitFor();
  });
});

describe('the console of a server with REQUIRE_SECOND_FACTOR', () => {
  const server = RunningServer.forTests({ REQUIRE_SECOND_FACTOR: 'true' });
  const browser = TestBrowser.forTests(server);

  it('leads to the account only, and continues where the user was after the second factor is set up', async () => {
    const page = await openConsole(browser, '/organizations');
    await page.getByRole('status').getByText('Set up a second factor to continue').waitFor();
    await heading(page, 'My account').and(page.locator(':focus')).waitFor();
    expect(await page.getByRole('link', { name: 'Keys', exact: true }).count()).toBe(0);
    expect(await button(page, 'Change password').count()).toBe(0);
    await page.reload();
    await page.getByText('Set up a second factor to continue').waitFor();
    await confirm(page, codeOf(await startSetUp(page)));
    await storeRecoveryCodes(page);
    await heading(page, 'Organizations').waitFor();
    await button(page, 'Create organization').waitFor();
    await page.getByRole('link', { name: 'Keys', exact: true }).click();
    await heading(page, 'Keys').waitFor();
  });
});
