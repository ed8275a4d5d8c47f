import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { TestBrowser } from '../support/browser.js';
import { dialogOf, signIn } from '../support/console.js';
import { DemoServer } from '../support/demo-server.js';
import { api } from '../support/organization.js';
import { eventually } from '../support/processes.js';

const images = path.resolve(__dirname, '../../docs/images');
const day = 86_400_000;
/** The size of a picture. GitHub shows it without shrinking its text. */
const size = { width: 1_000, height: 560 };
/** Leaves out the header and navigation of the console, and the navigation and empty margins of the API reference. */
const consoleFrame = { x: 224, y: 72 };
const referenceMargin = 44;
const referenceFrame = { x: 288 + referenceMargin, y: 70 };

/** Writes the pictures of the documentation from a demo, only with SCREENSHOTS=true. */
(process.env['SCREENSHOTS'] === 'true' ? describe : describe.skip)('the pictures of the documentation', () => {
  let folder: string;
  let demo: DemoServer;
  let browser: TestBrowser;
  let token: string;
  let organizationId: string;
  const asAdmin = (method: 'get' | 'post', route: string) =>
    demo.server.call(method, route).set('Authorization', `Bearer ${token}`);
  const open = (route: string, frame: { x: number }) =>
    browser.open(route, {
      colorScheme: 'light',
      deviceScaleFactor: 2,
      viewport: { width: frame.x + size.width, height: 900 },
    });
  const write = (page: Page, name: string, corner: { x: number; y: number }, height = size.height) =>
    page.screenshot({
      path: path.join(images, `${name}.png`),
      clip: { ...corner, width: size.width, height: Math.min(height, size.height) },
      animations: 'disabled',
    });
  const openConsole = async (route: string) => {
    const page = await open(`/console${route}`, consoleFrame);
    await signIn(page, demo.superAdmin);
    await page.getByRole('button', { name: 'Sign out' }).waitFor();
    return page;
  };
  /** Writes a page of the console, without the empty space below it. */
  const writePage = async (page: Page, name: string) => {
    const content = await page.locator('#main > *').first().boundingBox();
    await write(page, name, consoleFrame, (content?.height ?? size.height) + 32);
  };
  /** Writes a page of the console from the heading of a section on. */
  const writeSection = async (page: Page, name: string, section: string) => {
    await page.setViewportSize({ width: consoleFrame.x + size.width, height: 1_800 });
    const { y = 0 } = (await page.getByRole('heading', { name: section }).boundingBox()) ?? {};
    await write(page, name, { x: consoleFrame.x, y: y - 16 });
  };

  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'pictures-'));
    demo = await DemoServer.start(folder);
    browser = await TestBrowser.start('http://localhost:3000', { served: new URL(demo.server.url).host });
    token = await demo.server.login(demo.superAdmin.email, demo.superAdmin.password);
    organizationId = String((await demo.list('/teams')).data[0]?.['organizationId']);
    const keys = [demo.key];
    for (const [name, days, scopes] of [
      ['Registration platform', 12, ['seasons:read', 'teams:write', 'players:*']],
      ['Scoreboard', 200, ['seasons:read', 'schedules:*']],
    ] as const) {
      const body = { name, organizationId, scopes, allowedAddresses: ['127.0.0.1'] };
      const expiresAt = new Date(Date.now() + days * day).toISOString();
      const created = await asAdmin('post', '/api-keys')
        .send({ ...body, expiresAt })
        .expect(201);
      keys.push((created.body as { apiKey: string }).apiKey);
    }
    for (const [route, status, times] of [
      ['/seasons', 200, 40],
      ['/teams/nothing', 400, 3],
      ['/teams', 403, 8],
    ] as const) {
      for (let sent = 0; sent < times; sent++) {
        const call = demo.server.call('get', `${api}${route}`);
        const key = status === 403 ? keys[2] : keys[sent % (status === 200 ? 3 : 1)];
        await call.set('Authorization', `Bearer ${key}`).expect(status);
      }
    }
    await eventually(
      'the requests and the last uses of the keys are stored',
      async () => {
        const usage = await asAdmin('get', '/usage').expect(200);
        const stored = (await asAdmin('get', '/api-keys').expect(200)).body as { data: { lastUsedAt?: string }[] };
        return (usage.body as { total: number }).total > 0 && stored.data.every(({ lastUsedAt }) => lastUsedAt);
      },
      120,
    );
  });
  afterAll(async () => {
    await browser.stop();
    await demo.server.end();
    await rm(folder, { recursive: true, force: true });
  });

  it('show the console', async () => {
    const overview = await openConsole('');
    await overview.getByRole('table', { name: 'Traffic by organization' }).waitFor();
    await overview
      .getByRole('table', { name: 'Needs attention' })
      .getByRole('link', { name: /League/ })
      .first()
      .waitFor();
    await writePage(overview, 'console-overview');
    const organization = await openConsole(`/organizations/${organizationId}?tab=keys`);
    await organization.getByRole('table', { name: 'Keys' }).waitFor();
    await writePage(organization, 'console-organization');
    await organization.getByRole('button', { name: 'Create key' }).click();
    await dialogOf(organization).getByLabel('Name').fill('Mobile app');
    await dialogOf(organization).getByText('Custom', { exact: true }).click();
    const dialog = await dialogOf(organization).boundingBox();
    await write(organization, 'console-create-key', {
      x: consoleFrame.x / 2,
      y: (dialog?.y ?? 0) - 24,
    });
    const usage = await openConsole(`/organizations/${organizationId}?tab=usage`);
    await usage.getByRole('row', { name: /40305/ }).waitFor();
    await writeSection(usage, 'console-usage', 'Why requests fail');
    const webhooks = await openConsole('/webhooks');
    await webhooks.getByRole('table', { name: 'Webhook endpoints' }).getByRole('link').first().click();
    await webhooks.getByRole('table', { name: 'Deliveries' }).waitFor();
    await writeSection(webhooks, 'console-webhook', 'Deliveries of the last 30 days');
    const season = await openConsole(`/organizations/${organizationId}?tab=seasons`);
    await season.getByRole('link', { name: 'Demo season' }).click();
    await season.getByRole('table', { name: 'Standings' }).waitFor();
    await season.getByRole('table', { name: 'Games' }).waitFor();
    await season.getByRole('link', { name: /League/ }).waitFor();
    await writePage(season, 'console-season');
  });

  it('show the API reference', async () => {
    const page = await open('/docs#public/tag/teams/GET/v1/public-api/teams', {
      x: referenceFrame.x + referenceMargin,
    });
    await page.getByRole('heading', { name: 'List teams' }).waitFor();
    // The operation in the address has the focus, with an outline.
    await page.evaluate('document.activeElement.blur()');
    await page.getByRole('button', { name: 'Test Request (get /v1/public-api/teams)' }).waitFor();
    await write(page, 'api-reference', referenceFrame);
  });
});
