import { randomUUID } from 'node:crypto';
import { ObjectId } from 'mongodb';
import type { Page } from 'playwright-core';
import { isKeyAccepted, revokeKey } from '../support/api-keys.js';
import { TestBrowser } from '../support/browser.js';
import { chooseAction, dialogOf, heading, holdRequest, notice, openConsole, submit } from '../support/console.js';
import { createKey, createOrganization, type TestOrganization } from '../support/organization.js';
import { RunningServer, superAdmin } from '../support/server.js';

const day = 86_400_000;

describe('the keys in the console', () => {
  const server = RunningServer.forTests();
  const browser = TestBrowser.forTests(server);
  let organization: TestOrganization;
  const openKeys = () => openConsole(browser, `/organizations/${organization.id}?tab=keys`);

  beforeEach(async () => {
    organization = await createOrganization(server, `Keys ${randomUUID()}`);
  });

  /** Reads the secret that is shown once, confirms that it is stored, and closes the dialog. */
  async function storeSecret(page: Page): Promise<string> {
    const dialog = page.getByRole('dialog', { name: 'Store the key now' });
    const secret = await dialog.getByLabel('API key').inputValue();
    await page.keyboard.press('Escape');
    expect(await dialog.getByRole('button', { name: 'Close' }).isDisabled()).toBe(true);
    await dialog.getByLabel('I have stored the key').check();
    await dialog.getByRole('button', { name: 'Close' }).click();
    await dialog.waitFor({ state: 'hidden' });
    return secret;
  }

  it('are created read-only or with chosen scopes, addresses and an expiry, shown once, and work only within them', async () => {
    const page = await openKeys();
    await page.getByRole('button', { name: 'Create key' }).click();
    await dialogOf(page).getByLabel('Name').fill('Mobile app');
    await dialogOf(page).getByText('Read-only', { exact: true }).click();
    await submit(page, 'Create key');
    const secret = await storeSecret(page);

    await page.getByRole('row', { name: /Mobile app/ }).waitFor();
    expect(await page.content()).not.toContain(secret);
    await organization.call('get', '/teams', secret).expect(200);
    await organization.call('post', '/teams', secret).send({ name: 'Hawks' }).expect(403);

    await page.getByRole('button', { name: 'Create key' }).click();
    await dialogOf(page).getByLabel('Name').fill('Limited');
    await dialogOf(page).getByText('Custom', { exact: true }).click();
    expect(await dialogOf(page).getByLabel('All', { exact: true }).count()).toBe(0);
    await dialogOf(page).getByRole('group', { name: 'Teams' }).getByLabel('Write').check();
    await dialogOf(page).getByRole('group', { name: 'Players' }).getByLabel('Read').uncheck();
    await dialogOf(page).getByLabel('Allowed IP addresses').fill('127.0.0.0/8 ::1');
    await dialogOf(page).getByLabel('Expires at').fill('2035-12-31T23:59');
    await submit(page, 'Create key');
    const limited = await storeSecret(page);
    const season = (await organization.season())._id;
    const team = await organization.call('post', '/teams', limited).send({ name: 'Hawks', season }).expect(201);
    await organization.call('get', `/teams/${(team.body as { _id: string })._id}/players`, limited).expect(403);
    await page.getByRole('row', { name: /Limited.*2 IP addresses.*Dec 31, 2035/ }).waitFor();
  });

  it('stay on the screen until they are stored, also if someone leaves the page or closes the dialog early', async () => {
    const page = await openKeys();
    await page.getByRole('link', { name: 'View audit log' }).click();
    await page.goBack();
    await page.getByRole('button', { name: 'Create key' }).click();
    await dialogOf(page).getByLabel('Name').fill('Careful');
    await submit(page, 'Create key');
    await dialogOf(page).getByLabel('API key').waitFor();
    await page.evaluate('history.forward()');
    expect(await isKeyAccepted(organization, await storeSecret(page))).toBe(true);
    expect(new URL(page.url()).pathname).toBe(`/console/organizations/${organization.id}`);

    // Also if someone closes the dialog before the response arrives.
    const send = await holdRequest(page, '**/api-keys');
    await page.getByRole('button', { name: 'Create key' }).click();
    await dialogOf(page).getByLabel('Name').fill('Impatient');
    await submit(page, 'Create key');
    await page.keyboard.press('Escape');
    await send();
    expect(await isKeyAccepted(organization, await storeSecret(page))).toBe(true);
  });

  /** Creates an organization whose name the list of keys does not show. Returns its ID. */
  async function createWithoutKeys(name: string): Promise<string> {
    const creator = { name: 'Dana Reyes', email: `${randomUUID()}@example.com`, password: 'a good password' };
    const created = await server.asSuperAdmin('post', '/organizations').send({ name, creator }).expect(201);
    return (created.body as { _id: string })._id;
  }

  it('are created for the organization whose name is shown', async () => {
    const [first, second] = [`First ${randomUUID()}`, `Second ${randomUUID()}`];
    await createWithoutKeys(first);
    const id = await createWithoutKeys(second);
    const page = await openConsole(browser, '/keys');
    await page.getByRole('button', { name: 'Create key' }).click();
    const field = dialogOf(page).getByRole('combobox', { name: 'Organization' });
    const choose = async (name: string) => {
      await field.fill(name);
      await page.getByRole('option', { name }).click();
    };
    await choose(first);
    const send = await holdRequest(page, `**/organizations/${id}`);
    await choose(second);
    expect(await field.inputValue()).toBe(second);
    await send();
  });

  it('have a form that Escape does not discard, and that names lines with wrong addresses at the first click, and half an expiry', async () => {
    const page = await openKeys();
    await page.getByRole('button', { name: 'Create key' }).click();
    await dialogOf(page).getByLabel('Name').fill('Never');
    await page.keyboard.press('Escape');
    await page.getByRole('dialog', { name: 'Create key' }).waitFor();
    expect(await dialogOf(page).getByLabel('Name').inputValue()).toBe('Never');
    const addresses = dialogOf(page).getByLabel('Allowed IP addresses');
    await addresses.pressSequentially('the office, 203.0.113.7, 203.0.113.8');
    await submit(page, 'Create key');
    await dialogOf(page).getByText('Line 1: Must be').first().waitFor();
    await addresses.fill('203.0.113.7, 300.1.1.1\n\n2001:db8::1\nlocalhost');
    await submit(page, 'Create key');
    await dialogOf(page)
      .getByText(/Line 2: Must .*\nLine 4: Must /)
      .waitFor();
    expect((await addresses.inputValue()).split('\n')).toEqual([
      '203.0.113.7',
      '300.1.1.1',
      '2001:db8::1',
      'localhost',
    ]);
    await addresses.fill('');
    await dialogOf(page).getByLabel('Expires at').pressSequentially('12312030');
    await submit(page, 'Create key');
    await dialogOf(page).getByText('Enter a date and a time').waitFor();
    await submit(page, 'Cancel');
    await dialogOf(page).waitFor({ state: 'hidden' });
  });

  it('of a disabled organization say so, and do not need attention', async () => {
    const [name, working] = [`Disabled ${randomUUID()}`, `Working ${randomUUID()}`];
    const expiresAt = new Date(Date.now() + day / 24).toISOString();
    await createKey(server, organization.id, { name, expiresAt });
    await createKey(server, (await createOrganization(server)).id, { name: working, expiresAt });
    await server.asSuperAdmin('patch', `/organizations/${organization.id}`).send({ disabled: true }).expect(200);
    const page = await openConsole(browser);
    await page.getByRole('link', { name: working, exact: true }).waitFor();
    expect(await page.getByRole('link', { name, exact: true }).count()).toBe(0);
    await page.goto(`/console/organizations/${organization.id}?tab=keys`);
    const row = page.getByRole('row', { name: new RegExp(`${name}.*Organization disabled`) });
    expect(await row.innerText()).not.toMatch(/Active|Expires in/);
  });

  it('are dead on the API once they are revoked on the screen', async () => {
    const { apiKey } = organization.key;
    expect(await isKeyAccepted(organization, apiKey)).toBe(true);
    const page = await openKeys();
    await chooseAction(page, 'Registration platform', 'Revoke key');
    const revoke = dialogOf(page).getByRole('button', { name: 'Revoke key' });
    expect(await revoke.isDisabled()).toBe(true);
    await dialogOf(page).getByText('Requests with this key are rejected immediately.').waitFor();
    await dialogOf(page).getByLabel('Type “Registration platform” to confirm').fill('Registration platform');
    await revoke.click();
    await notice(page, 'The key is revoked and no longer works.');
    expect(await isKeyAccepted(organization, apiKey)).toBe(false);
    await page.getByRole('row', { name: /Registration platform.*Revoked/ }).waitFor();
    await page.getByRole('link', { name: 'View audit log' }).click();
    const row = new RegExp(`^Revoke key Key Registration platform .*${superAdmin.email}.* Succeeded$`);
    await page.getByRole('row', { name: row }).waitFor();
  });

  it('that are revoked or expired say that their requests get 401, and that there were none', async () => {
    const [revoked, expired] = [organization.key, await createKey(server, organization.id, { name: 'Expired' })];
    await revokeKey(server, revoked.id).expect(200);
    const keys = (await server.database()).collection('apiKeys');
    await keys.updateOne({ _id: new ObjectId(expired.id) }, { $set: { expiresAt: new Date(Date.now() - day) } });
    const page = await openConsole(browser, `/organizations/${organization.id}?tab=usage&apiKeyId=${revoked.id}`);
    await page
      .getByText('No request failed in the last 24 hours. Requests with a key that does not exist get 401')
      .waitFor();
    for (const [{ id }, status] of [
      [revoked, 'revoked'],
      [expired, 'expired'],
    ] as const) {
      await page.goto(`/console/keys/${id}`);
      await page.getByText(`The key is ${status}. All requests with this key get 401.`).waitFor();
      await page.getByText('No request failed in the last 7 days').waitFor();
    }
  });

  it('are edited by two admins at once, who keep what the other has changed', async () => {
    const pages = [await openKeys(), await openKeys()] as const;
    for (const page of pages) await chooseAction(page, 'Registration platform', 'Edit key');
    await dialogOf(pages[0]).getByLabel('Name').fill('Renamed');
    await dialogOf(pages[1]).getByLabel('Allowed IP addresses').fill('203.0.113.7');
    for (const page of pages) {
      await submit(page, 'Save changes');
      await notice(page, /^The key was saved/);
    }
    const [, page] = pages;
    await page.getByRole('row', { name: /Renamed.*1 IP address/ }).waitFor();

    // The same field is not saved over the other's value.
    await chooseAction(page, 'Renamed', 'Edit key');
    const path = `/api-keys/${organization.key.id}`;
    await server.asSuperAdmin('patch', path).send({ name: 'Theirs' }).expect(200);
    const name = dialogOf(page).getByLabel('Name');
    await name.fill('Ours');
    await submit(page, 'Save changes');
    const message = `Changed by ${superAdmin.email} meanwhile. Your entry is kept.`;
    await dialogOf(page).getByRole('alert').getByText(message).waitFor();
    expect(await name.inputValue()).toBe('Ours');
    await dialogOf(page).getByRole('button', { name: 'Load the present values' }).click();
    await page.getByRole('dialog', { name: 'Edit key: Theirs' }).waitFor();
    await name.and(page.locator(':focus')).fill('Both');
    await submit(page, 'Save changes');
    await page.getByRole('row', { name: /Both/ }).waitFor();
  });

  it('get a new secret while the old one keeps working, until the grace period is ended', async () => {
    const { apiKey: old } = organization.key;
    const page = await openKeys();
    await chooseAction(page, 'Registration platform', 'Rotate key');
    await page.getByRole('dialog', { name: 'Rotate key: Registration platform' }).waitFor();
    await dialogOf(page).getByLabel('After 1 hour').check();
    await submit(page, 'Rotate key');
    const secret = await storeSecret(page);
    expect(secret).not.toBe(old);
    expect(await isKeyAccepted(organization, secret)).toBe(true);
    expect(await isKeyAccepted(organization, old)).toBe(true);

    await page.getByText('Previous secret works until').waitFor();
    const keys = (await server.database()).collection('apiKeys');
    const used = { $set: { previousSecretUsedAt: new Date(Date.now() + 1_000) } };
    await keys.updateOne({ _id: new ObjectId(organization.key.id) }, used);
    await page.getByRole('link', { name: 'Registration platform' }).click();
    await page
      .getByRole('row', { name: /^Previous secret .*Last used .*: the partner has not switched everywhere\.$/ })
      .waitFor();
    await page.getByRole('button', { name: 'End grace period' }).click();
    await page.getByRole('dialog', { name: 'End grace period: Registration platform' }).waitFor();
    await dialogOf(page).getByText('The partner has used the previous one since the rotation.').waitFor();
    await submit(page, 'End grace period');
    await notice(page, 'The previous secret no longer works.');
    expect(await isKeyAccepted(organization, secret)).toBe(true);
    expect(await isKeyAccepted(organization, old)).toBe(false);
  });

  it('of all organizations are filtered by what needs attention', async () => {
    const name = `Expiring ${randomUUID()}`;
    await createKey(server, organization.id, { name, expiresAt: new Date(Date.now() + 10 * day).toISOString() });
    const page = await openConsole(browser, '/keys');
    await page.getByLabel('Filter').selectOption('Expires within 30 days');
    await page.getByRole('row', { name: new RegExp(`${name}.*Expires in \\d+ days`) }).waitFor();
    expect(new URL(page.url()).search).toBe('?filter=expiring');
    await page.getByLabel('Filter').selectOption('Revoked');
    await page.getByRole('row', { name: new RegExp(name) }).waitFor({ state: 'hidden' });
  });

  it('are found by the prefix that a partner quotes, with a page that says what they may do and who changed them', async () => {
    const { id } = await createKey(server, organization.id, {
      name: 'Scoreboard',
      scopes: ['teams:read', 'teams:write', 'players:read', 'schedules:*'],
      allowedAddresses: ['203.0.113.7'],
    });
    await server.asSuperAdmin('post', `/api-keys/${id}/rotate`).send({ graceSeconds: 3_600 }).expect(200);
    const { data } = (await server.asSuperAdmin('get', `/api-keys/${id}`).expect(200)).body as {
      data: { keyPrefix: string };
    };
    const page = await openConsole(browser, '/keys');
    const field = page.getByRole('searchbox', { name: 'Search keys by name or prefix' });
    await field.fill(`${randomUUID()} `);
    await page.getByText('No matching keys').waitFor();
    await field.fill(data.keyPrefix);
    await page.getByText('Teams: read, write; Players: read; Schedules and standings: all').waitFor();
    await page.getByRole('link', { name: 'Scoreboard' }).click();
    await heading(page, 'Scoreboard').and(page.locator(':focus')).waitFor();
    await page.getByRole('row', { name: new RegExp(`^Rotated .* by ${superAdmin.email}$`) }).waitFor();
    await page.getByRole('row', { name: 'Last used Never' }).waitFor();
    await page.getByText('Active', { exact: true }).waitFor();
    await page.getByRole('row', { name: 'Teams read, write' }).waitFor();
    await page.getByRole('row', { name: 'Schedules and standings all' }).waitFor();
    await page.getByText('Only from 203.0.113.7.').waitFor();
    await page.getByRole('row', { name: /^Previous secret Works until .* No use since the rotation/ }).waitFor();
    const changes = page.getByRole('table', { name: 'Latest changes' });
    await changes.getByRole('row', { name: /Rotate key/ }).waitFor();
    await page.getByRole('button', { name: 'End grace period' }).click();
    await submit(page, 'End grace period');
    await changes.getByRole('row', { name: /End grace period/ }).waitFor();
    await page.getByRole('row', { name: /^Previous secret/ }).waitFor({ state: 'hidden' });

    // An open page shows what others do.
    const keys = (await server.database()).collection('apiKeys');
    await keys.updateOne({ _id: new ObjectId(id) }, { $set: { lastUsedAt: new Date() } });
    await revokeKey(server, id).expect(200);
    await page.getByText('Revoked', { exact: true }).waitFor();
    await page.getByRole('row', { name: 'Last used Never' }).waitFor({ state: 'hidden' });
  });
});
