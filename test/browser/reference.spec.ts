import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Page, Response } from 'playwright-core';
import { TestBrowser } from '../support/browser.js';
import { DemoServer } from '../support/demo-server.js';
import { type Operation, operations } from '../support/operations.js';
import { createOrganization } from '../support/organization.js';
import { eventually } from '../support/processes.js';
import { RunningServer } from '../support/server.js';

/** A form of each kind of parameters and body, a deletion last; `documented-commands` sends all examples. */
const forms = [
  ...['listSeasons', 'updateSchedule', 'createPlayer', 'bulkUpsertPlayers', 'writePlayerStatistics'],
  ...['getSeasonStatistics', 'deleteSchedule'],
];

function operationOf(id: string): Operation {
  const found = operations.find((operation) => operation.id === id);
  if (found === undefined) throw new Error(`There is no operation ${id}`);
  return found;
}

const introduction = (page: Page, name: string | RegExp) => page.getByRole('heading', { level: 1, name }).waitFor();
const tokenField = (page: Page) => page.getByPlaceholder('Token').filter({ visible: true }).first();

/** Presses "Send" in the form of an operation, without editing anything; a form that is open stays behind it. */
async function send(page: Page, slug: string, { method, path: route, document }: Operation) {
  const { tags: [tag = ''] = [] } = document.paths[route]?.[method as 'get'] ?? {};
  const anchor = `#${slug}/tag/${tag.toLowerCase().replaceAll(' ', '-')}/${method.toUpperCase()}${route}`;
  await page.evaluate(`location.hash = ${JSON.stringify(anchor)}`);
  const name = `Test Request (${method} ${route})`;
  await page.getByRole('button', { name, exact: true, includeHidden: true }).dispatchEvent('click');
  const client = page.getByRole('dialog');
  const target = `${new URL(page.url()).origin}${route}`;
  const button = client.getByRole('button', { name: `Send ${method} request to ${target}`, exact: true });
  const pattern = new RegExp(`${route.slice(1).replaceAll(/\{\w+\}/g, '[^/{}]+')}(?:\\?.*)?$`);
  const isResponse = (each: Response) => pattern.test(each.url()) && each.request().method() === method.toUpperCase();
  const [response] = await Promise.all([page.waitForResponse(isResponse), button.click()]);
  await client.getByText(`${response.status()} ${response.statusText()}`).first().waitFor();
  return { url: response.url(), status: response.status(), text: await response.text() };
}

describe('the API reference of a demo', () => {
  let folder: string;
  let demo: DemoServer;
  let browser: TestBrowser;

  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'reference-test-'));
    demo = await DemoServer.start(folder);
    browser = await TestBrowser.start(demo.server.url);
  });
  afterEach(async () => {
    await browser.closePages();
    expect(browser.foreignRequests).toEqual([]);
  });
  afterAll(async () => {
    await browser.stop();
    await demo.server.end();
    await rm(folder, { recursive: true, force: true });
  });

  it('has samples for curl, TypeScript and Python, and only one link to Scalar; it links the pages of the guide and the examples; one selector has all documents and pages', async () => {
    const page = await browser.open('/docs');
    await introduction(page, 'Public Integration API');
    const links = await Promise.all((await page.getByRole('link').all()).map((link) => link.getAttribute('href')));
    const hosts = links.map((href) => new URL(href ?? '', demo.server.url).host);
    const own = new URL(demo.server.url).host;
    expect(new Set(hosts)).toEqual(new Set([own, 'www.scalar.com']));
    expect(await page.getByText(/Ask AI|Open API Client|Generate SDK|Share/).count()).toBe(0);

    const options = page.getByRole('option');
    await page.getByText('More', { exact: true }).click();
    await options.first().waitFor();
    expect((await options.allInnerTexts()).sort()).toEqual(['Curl', 'Fetch', 'HTTPX (Sync)', 'Requests']);
    await page.keyboard.press('Escape');
    await options.first().waitFor({ state: 'hidden' });

    await page.getByRole('link', { name: 'Quickstart' }).click();
    await introduction(page, 'Quickstart');
    await page.getByRole('link', { name: 'Requests' }).first().click();
    await introduction(page, 'Requests');
    await page.goBack();
    await introduction(page, 'Quickstart');
    const example = page.getByRole('link', { name: 'scorekeeper.mts' });
    expect(await example.getAttribute('href')).toBe('/docs/examples/scorekeeper.mts');

    await page.getByRole('button', { name: 'Quickstart' }).first().click();
    expect(await options.allInnerTexts()).toEqual([
      'Public API',
      'Admin API',
      ...['Quickstart', 'Requests', 'Synchronize', 'Webhooks', 'Bring your spreadsheets', 'Other languages', 'Errors'],
      ...['flag-football-client', 'Client in Python'],
    ]);
    await page.getByRole('option', { name: 'Admin API' }).click();
    await introduction(page, 'Admin API');
    // In the page of the admin document, which the selector has opened, the token of a login.
    const { email, password } = demo.superAdmin;
    await tokenField(page).fill(await demo.server.login(email, password));
    expect(await send(page, 'admin', operationOf('listOrganizations'))).toMatchObject({ status: 200 });
  });

  it('shows the explanation to which an error response links', async () => {
    const { headers } = await fetch(`${demo.server.url}/v1/public-api/teams`);
    const [, link = ''] = /^<(.*)>; rel="help"$/.exec(headers.get('link') ?? '') ?? [];
    const page = await browser.open(link);
    await introduction(page, 'Errors');
    const heading = page.getByRole('heading', { name: '40101' });
    await eventually('the explanation is on the screen', async () => ((await heading.boundingBox())?.y ?? 900) < 450);
  });

  it('succeeds with forms of every kind', async () => {
    const page = await browser.open('/docs');
    await introduction(page, 'Public Integration API');
    for (const id of forms) {
      const { status, text } = await send(page, 'public', operationOf(id));
      expect([id, status < 300, text.includes('"result":"failed"')]).toEqual([id, true, false]);
    }
  });
});

describe('the API reference without a demo', () => {
  const server = RunningServer.forTests();
  const browser = TestBrowser.forTests(server);

  it('sends requests with the key that is entered, to its own server', async () => {
    const { key } = await createOrganization(server);
    const page = await browser.open('/docs');
    await tokenField(page).fill(key.apiKey);
    const seasons = operationOf('listSeasons');
    expect(await send(page, 'public', seasons)).toMatchObject({ url: `${server.url}${seasons.path}`, status: 200 });
  });
});
