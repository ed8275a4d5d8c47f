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

/** Writes the pictures of the documentation from a demo, only with SCREENSHOTS=true. */
(process.env['SCREENSHOTS'] === 'true' ? describe : describe.skip)('the pictures of the documentation', () => {
  let folder: string;
  let demo: DemoServer;
  let browser: TestBrowser;
  let token: string;
  let organizationId: string;
  const asAdmin = (method: 'get' | 'post', route: string) =>
    demo.server.call(method, route).set('Authorization', `Bearer ${token}`);
  const write = (page: Page, name: string) =>
    page.screenshot({ path: path.join(images, `${name}.png`), animations: 'disabled' });
  const openConsole = async (route: string) => {
    const page = await browser.open(`/console${route}`, { colorScheme: 'light' });
    await signIn(page, demo.superAdmin);
    await page.getByRole('button', { name: 'Sign out' }).waitFor();
    return page;
  };

  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'pictures-'));
    demo = await DemoServer.start(folder);
    browser = await TestBrowser.start(demo.server.url);
    token = await demo.server.login(demo.superAdmin.email, demo.superAdmin.password);
    organizationId = String((await demo.list('/teams')).data[0]?.['organizationId']);
    for (const [name, days] of [
      ['Registration platform', 12],
      ['Scoreboard', 200],
    ] as const) {
      const body = { name, organizationId, scopes: ['schedules:read'], allowedAddresses: ['203.0.113.7'] };
      const expiresAt = new Date(Date.now() + days * day).toISOString();
      await asAdmin('post', '/api-keys')
        .send({ ...body, expiresAt })
        .expect(201);
    }
    for (const [route, status, times] of [
      ['/seasons', 200, 40],
      ['/teams/nothing', 400, 3],
    ] as const) {
      for (let sent = 0; sent < times; sent++) {
        const call = demo.server.call('get', `${api}${route}`).set('Authorization', `Bearer ${demo.key}`);
        await call.expect(status);
      }
    }
    await eventually(
      'the requests are counted',
      async () => {
        const response = await asAdmin('get', '/usage').expect(200);
        return (response.body as { total: number }).total > 0;
      },
      30,
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
      .waitFor();
    await write(overview, 'console-overview');
    const organization = await openConsole(`/organizations/${organizationId}?tab=keys`);
    await organization.getByRole('table', { name: 'Keys' }).waitFor();
    await write(organization, 'console-organization');
    await organization.getByRole('button', { name: 'Create key' }).click();
    await dialogOf(organization).getByLabel('Name').fill('Mobile app');
    await dialogOf(organization).getByText('Custom', { exact: true }).click();
    await write(organization, 'console-create-key');
  });

  it('show the API reference', async () => {
    const page = await browser.open('/docs#public/tag/players/GET/v1/public-api/teams/{teamId}/players', {
      viewport: { width: 1280, height: 800 },
    });
    await page.getByRole('heading', { name: "List a team's players" }).waitFor();
    await page.getByRole('button', { name: 'Test Request (get /v1/public-api/teams/{teamId}/players)' }).waitFor();
    await write(page, 'api-reference');
  });
});
