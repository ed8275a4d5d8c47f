import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { ObjectId } from 'mongodb';
import type { Page } from 'playwright-core';
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
import { createKey, createOrganization, type TestOrganization } from '../support/organization.js';
import { eventually } from '../support/processes.js';
import { RunningServer, superAdmin } from '../support/server.js';

const axe = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');
const openDialog = (name: string) => (page: Page) => page.getByRole('button', { name }).first().click();

async function openRecord(page: Page): Promise<void> {
  await page.getByRole('searchbox', { name: 'Search records' }).fill('x'.repeat(100));
  await page.keyboard.press('Enter');
  await page.getByRole('table', { name: 'Schedules' }).getByRole('button').click();
}

async function openHistory(page: Page): Promise<void> {
  await openRecord(page);
  await dialogOf(page).getByRole('tab', { name: 'History' }).click();
  await dialogOf(page).getByText('Created', { exact: true }).waitFor();
}

type Screen = [path: string, open?: (page: Page) => Promise<void>];

/** Every screen: its path, and what opens a dialog on it. */
const screens = (organizationId: string, seasonId: string, endpointId: string, keyId: string): Screen[] => [
  ['/'],
  ['/organizations'],
  ['/organizations', openDialog('Create organization')],
  ...['people', 'keys', 'seasons', 'data', 'webhooks', 'usage'].map((tab): [string] => [
    `/organizations/${organizationId}?tab=${tab}`,
  ]),
  [`/organizations/${organizationId}/seasons/${seasonId}`],
  [`/organizations/${organizationId}/seasons/${seasonId}`, openDialog('Win percentage')],
  [`/organizations/${organizationId}/seasons/${seasonId}`, openDialog('View history')],
  [`/organizations/${organizationId}?tab=keys`, openDialog('Create key')],
  [`/organizations/${organizationId}?tab=people`, openDialog('Disable organization')],
  [`/organizations/${organizationId}?tab=data`, openRecord],
  [`/organizations/${organizationId}?tab=data`, openHistory],
  ['/keys'],
  [`/keys/${keyId}`],
  [`/keys/${keyId}`, openDialog('Rotate key')],
  ['/webhooks'],
  [`/webhooks/${endpointId}`],
  [`/webhooks/${endpointId}`, openDialog('Send failed deliveries again')],
  [`/webhooks/${endpointId}`, openDialog('1 attempt')],
  ['/failed-requests'],
  ['/super-admins'],
  ['/super-admins', openDialog('Add super admin')],
  ['/audit'],
  ['/audit', openDialog('Create key')],
  ['/account'],
  ['/account', openDialog('Set up second factor')],
  ['/nothing'],
];

/** Goes to a screen without reloading the page, which would end the session. */
async function visit(page: Page, path: string, open?: (page: Page) => Promise<void>): Promise<void> {
  await page.evaluate(`history.pushState({}, '', '/console${path}'); dispatchEvent(new PopStateEvent('popstate'))`);
  await page.getByRole('status', { name: 'Loading' }).first().waitFor({ state: 'hidden' });
  await page.getByRole('heading', { level: 1 }).waitFor();
  await page.waitForLoadState('networkidle');
  if (open) {
    await open(page);
    await dialogOf(page).waitFor();
  }
}

async function leaveDialog(page: Page): Promise<void> {
  await page.keyboard.press('Escape');
  await dialogOf(page).waitFor({ state: 'hidden' });
}

/** Returns what violates the rules, by default all of axe. */
async function violationsOn(page: Page, rules?: readonly string[]): Promise<string[]> {
  if (!(await page.evaluate<boolean>('"axe" in window'))) await page.evaluate(axe);
  const options = { resultTypes: ['violations'], ...(rules && { runOnly: rules }) };
  const { violations } = await page.evaluate<{ violations: { id: string; nodes: { html: string }[] }[] }>(
    `axe.run(${JSON.stringify(options)})`,
  );
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 200)).join(' ')}`);
}

/** Changes what the system prefers, and all colors at once. */
async function setScheme(page: Page, colorScheme: 'light' | 'dark'): Promise<void> {
  await page.emulateMedia({ colorScheme });
  await page.locator(`html[data-mantine-color-scheme=${colorScheme}]`).waitFor();
  await page.evaluate('for (const animation of document.getAnimations()) animation.finish()');
}

/** The label and text of the focused control, in lines, after a timer in which dialogs can move the focus. */
const focusedName = `new Promise((resolve) => setTimeout(() => {
  const focused = document.activeElement;
  const labels = [...(focused.labels ?? [])].map((label) => label.innerText);
  resolve([focused.getAttribute('aria-label'), focused.innerText, ...labels].join('\\n'));
}))`;

/** Waits until the control with this name has the focus. */
async function focusOn(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name, exact: true }).and(page.locator(':focus')).waitFor();
}

/** Presses Tab until a control with this name has the focus. */
async function tabTo(page: Page, name: string): Promise<void> {
  for (let presses = 0; presses < 60; presses++) {
    await page.keyboard.press('Tab');
    const names = (await page.evaluate<string>(focusedName)).split('\n');
    if (names.includes(name)) return;
  }
  throw new Error(`Tab does not reach ${name}`);
}

/** Whether the page and its lists have room for what they contain. */
const fits = `[document.documentElement, ...document.querySelectorAll('.list:not(.scrolls)')].every(
  ({ scrollWidth, clientWidth }) => scrollWidth <= clientWidth)`;

describe('the console for everyone', () => {
  const server = RunningServer.forTests();
  const browser = TestBrowser.forTests(server);
  let organization: TestOrganization;
  let season: string;
  let endpoint: string;

  beforeAll(async () => {
    organization = await createOrganization(server, 'A league with a name that is too long for a narrow screen');
    const expiresAt = new Date(Date.now() + 86_400_000).toISOString();
    await createKey(server, organization.id, { name: 'A key that expires soon', expiresAt });
    const url = `https://${'long-name.'.repeat(15)}example.com/webhooks`;
    const created = await organization.call('post', '/webhook-endpoints').send({ url }).expect(201);
    endpoint = (created.body as { _id: string })._id;
    const database = await server.database();
    const organizationId = new ObjectId(organization.id);
    const attempts = [{ at: new Date(), statusCode: 500, durationMs: 80 }];
    const record = `team.${'f'.repeat(24)}`;
    const delivery = { endpointId: new ObjectId(endpoint), event: 'team.deleted', record, status: 'failed', attempts };
    await database.collection('webhookDeliveries').insertOne({ ...delivery, organizationId, createdAt: new Date() });
    const outcomes = { [`${organization.key.id}|listTeams|403|40305`]: { requests: 4, detail: 'teams:read' } };
    const counts = { hour: new Date(Math.floor(Date.now() / 3_600_000) * 3_600_000), requests: 9, errors: 4, outcomes };
    await database.collection('requestCounts').insertOne({ ...counts, organizationId, errorCodes: {} });
    season = (await organization.season({ name: 'A season with a name that is too long for a narrow screen' }))._id;
    const name = 'A-team-name-without-a-space-that-is-too-long-for-a-narrow-screen';
    const team = await organization.team({ name, season, externalId: 'x'.repeat(100) });
    const game = { externalId: 'x'.repeat(100), status: 'forfeited', forfeitedBy: 'teamOne', isScrimmage: true };
    await organization.schedule(team._id, { ...game, timeZone: 'America/Argentina/ComodRivadavia' });
    const played = { teamTwoId: (await organization.team({ season }))._id, teamTwoName: undefined };
    await organization.schedule(team._id, { ...played, status: 'final', teamOneScore: 9, teamTwoScore: 0 });
  });

  it('has no accessibility violations (axe), also in dark, and does not scroll sideways in any width', async () => {
    const viewport = { width: 1440, height: 900 };
    const check = async (page: Page, path: string) => {
      expect({ path, violations: await violationsOn(page) }).toEqual({ path, violations: [] });
      for (const width of [viewport.width, 768, 1000, 1200, 1920, 360]) {
        await page.setViewportSize({ width, height: 900 });
        await eventually(`${path} fits in ${width} px`, () => page.evaluate<boolean>(fits));
      }
      await setScheme(page, 'dark');
      // Only colors differ.
      expect({ path, violations: await violationsOn(page, ['color-contrast']) }).toEqual({ path, violations: [] });
      await setScheme(page, 'light');
      await page.setViewportSize(viewport);
    };
    for (const [path, title] of Object.entries({ '': 'Sign in', '/set-password#token': 'Set password' })) {
      const page = await browser.open(`/console${path}`);
      await heading(page, title).waitFor();
      await check(page, title);
    }
    const page = await openConsole(browser);
    for (const [path, open] of screens(organization.id, season, endpoint, organization.key.id)) {
      await visit(page, path, open);
      await check(page, path);
      if (open) await leaveDialog(page);
    }
    await failWith(page, '**/api-keys?*', 401, 'It has ended');
    await page.goto('/console/keys');
    await page.getByText('Your session has ended.').waitFor();
    await check(page, 'session ended');
  });

  it('at 360 px shows a file to import without violations (axe) or scrolling sideways, and hides the navigation until it is opened', async () => {
    const viewport = { width: 360, height: 900 };
    const page = await openConsole(browser, `/organizations/${organization.id}?tab=data`, { viewport });
    const buffer = Buffer.from(`ID,Name,Team,${'Jersey-'.repeat(9)}\n1,${'x'.repeat(99)},Foxes,7`);
    await page.getByLabel('File', { exact: true }).setInputFiles({ name: 'a.csv', mimeType: 'text/csv', buffer });
    await page.getByRole('button', { name: 'Dry run' }).click();
    await page.getByRole('table', { name: 'Rows with remarks' }).waitFor();
    expect(await violationsOn(page)).toEqual([]);
    expect(await page.evaluate<boolean>(fits)).toBe(true);

    const link = page.getByRole('link', { name: 'Organizations', exact: true });
    expect(await link.isVisible()).toBe(false);
    await page.getByRole('button', { name: 'Navigation' }).click();
    await link.click();
    await heading(page, 'Organizations').waitFor();
    expect(await link.isVisible()).toBe(false);
  });

  it('signs in and creates a key with the keyboard only', async () => {
    const page = await browser.open(`/console/organizations/${organization.id}?tab=keys`);
    await page.locator(':focus').waitFor();
    await page.keyboard.type(superAdmin.email);
    await page.keyboard.press('Tab');
    await page.keyboard.type(superAdmin.password);
    await page.keyboard.press('Enter');
    await page.getByRole('table', { name: 'Keys' }).waitFor();
    await tabTo(page, 'Create key');
    await page.keyboard.press('Enter');
    await dialogOf(page).getByLabel('Name').waitFor();
    await page.keyboard.type('By keyboard');
    await tabTo(page, 'Create key');
    await page.keyboard.press('Enter');
    const secret = await dialogOf(page).getByLabel('API key').inputValue();
    await tabTo(page, 'I have stored the key');
    await page.keyboard.press('Space');
    await tabTo(page, 'Close');
    await page.keyboard.press('Enter');
    await page.getByRole('row', { name: /By keyboard/ }).waitFor();
    expect(await isKeyAccepted(organization, secret)).toBe(true);
  });

  it('returns the focus to the control that opened a dialog', async () => {
    const page = await openConsole(browser, `/organizations/${organization.id}?tab=keys`);
    await page.getByRole('button', { name: 'Create key' }).click();
    await dialogOf(page).getByLabel('Name').and(page.locator(':focus')).waitFor();
    await leaveDialog(page);
    await focusOn(page, 'Create key');

    await chooseAction(page, 'A key that expires soon', 'Edit key');
    await leaveDialog(page);
    await focusOn(page, 'Actions for A key that expires soon');

    await page.getByRole('link', { name: 'View audit log' }).click();
    await page.getByRole('table', { name: 'Audit events' }).getByRole('button', { name: 'Create key' }).first().click();
    await leaveDialog(page);
    await page.getByRole('button', { name: 'Create key' }).first().and(page.locator(':focus')).waitFor();
  });

  it('moves the focus to the heading of a page that a dialog opens, and announces a notice without violations (axe)', async () => {
    const page = await openConsole(browser, '/organizations');
    await page.getByRole('button', { name: 'Create organization' }).click();
    const values = ['New league', 'Dana Reyes', `${randomUUID()}@example.com`];
    for (const [index, label] of ['Organization name', /’s name/, /’s email/].entries())
      await dialogOf(page)
        .getByLabel(label)
        .fill(values[index] ?? '');
    await submit(page, 'Create organization');
    await takeLink(page);
    await heading(page, 'New league').and(page.locator(':focus')).waitFor();
    await notice(page, /^New league was created/);
    expect(await violationsOn(page)).toEqual([]);
  });
});
