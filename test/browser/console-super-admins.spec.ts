import { randomUUID } from 'node:crypto';
import type { Page } from 'playwright-core';
import { TestBrowser } from '../support/browser.js';
import { chooseAction, dialogOf, heading, notice, openConsole, signIn, submit, takeLink } from '../support/console.js';
import { createSuperAdmin } from '../support/admins.js';
import { createOrganization } from '../support/organization.js';
import { codeOf, enrol } from '../support/second-factor.js';
import { RunningServer, superAdmin } from '../support/server.js';

describe('the super admins in the console', () => {
  // Its own server, because the super admin is disabled.
  const server = RunningServer.forTests({});
  const browser = TestBrowser.forTests(server);

  const newPassword = () => `new ${randomUUID()}`;
  const invalidLink = 'This link is used, expired or replaced by a newer one. Ask a super admin for a new link.';

  const setPassword = async (page: Page, password: string, repeated = password): Promise<void> => {
    await page.getByLabel('New password', { exact: true }).fill(password);
    await page.getByLabel('New password again').fill(repeated);
    await page.getByRole('button', { name: 'Set password' }).click();
  };

  it('give the creator of an organization a link, which works once and ends sessions', async () => {
    const { id, creator } = await createOrganization(server);
    const page = await openConsole(browser, `/organizations/${id}`);
    await chooseAction(page, creator.name, 'Create password link');
    await submit(page, 'Create password link');
    const link = await takeLink(page);

    const other = await browser.open(link);
    const password = newPassword();
    await setPassword(other, password);
    await other.getByText('Your password is set').waitFor();
    await server.login(creator.email, password);

    const again = await browser.open(link);
    await setPassword(again, newPassword());
    await again.getByText(invalidLink).waitFor();
    await again.reload();
    await again.getByText('Open the link again that a super admin sent you.').waitFor();
  });

  it('reset the second factor of another one with their own', async () => {
    const [lost, own] = [await createSuperAdmin(server, 'Sam Lost'), await createSuperAdmin(server)];
    await enrol(server, await server.login(lost.email, lost.password), lost.password);
    const { secret } = await enrol(server, await server.login(own.email, own.password), own.password);
    const page = await browser.open('/console/super-admins');
    await signIn(page, own);
    await page.getByLabel('Code or recovery code').fill(codeOf(secret));
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await chooseAction(page, lost.name, 'Reset second factor');
    await dialogOf(page).getByLabel('Password', { exact: true }).fill('wrong');
    await dialogOf(page).getByLabel('Code or recovery code').fill(codeOf(secret, 1));
    await submit(page, 'Reset second factor');
    await dialogOf(page).getByText('The password is wrong').waitFor();
    await dialogOf(page).getByLabel('Password', { exact: true }).fill(own.password);
    await submit(page, 'Reset second factor');
    await notice(page, 'The second factor is removed.');
    await server.login(lost.email, lost.password);
  });

  // Last, because it ends the token with which tests create records.
  it('add another one, who sets a password with a link, signs in and disables the first', async () => {
    const [name, email, password] = ['Robin Vale', `${randomUUID()}@example.com`, newPassword()];
    const page = await openConsole(browser, '/super-admins');
    await page.getByRole('button', { name: 'Add super admin' }).click();
    await dialogOf(page).getByLabel('Name').fill(name);
    await dialogOf(page).getByLabel('Email').fill(superAdmin.email);
    await submit(page, 'Add super admin');
    await dialogOf(page).getByRole('alert').getByText('A user with this email already exists').waitFor();
    await dialogOf(page).getByLabel('Email', { exact: true }).fill(email);
    await submit(page, 'Add super admin');
    const link = await takeLink(page);
    await page.getByRole('row', { name: new RegExp(email) }).waitFor();

    const other = await browser.open(link);
    await heading(other, 'Set password').waitFor();
    expect(other.url()).not.toContain('#');
    await setPassword(other, password, 'another password');
    await other.getByText('The passwords differ').waitFor();
    await setPassword(other, 'short');
    await other.getByText(/^Must .*8/).waitFor();
    await setPassword(other, password);
    await other.getByText('Your password is set').waitFor();
    await other.getByRole('link', { name: 'Go to sign in' }).click();
    await signIn(other, { email, password });

    await other.getByRole('link', { name: 'Super admins' }).click();
    const own = other.getByRole('row', { name: /Robin Vale \(you\)/ });
    expect(await own.getByRole('button').count()).toBe(0);
    await chooseAction(other, 'Super admin', 'Disable user');
    await dialogOf(other).getByLabel('Type “Super admin” to confirm').fill('Super admin');
    await submit(other, 'Disable user');
    await notice(other, 'The user is disabled.');
    await page.getByRole('link', { name: 'Keys', exact: true }).click();
    await page.getByText('Your session has ended.').waitFor();
  });
});
