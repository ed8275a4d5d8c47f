import { ObjectId } from 'mongodb';
import type { Page } from 'playwright-core';
import { TestBrowser } from '../support/browser.js';
import { heading, openConsole } from '../support/console.js';
import { unknownId } from '../support/http-routes.js';
import { createKey, createOrganization, type TestOrganization } from '../support/organization.js';
import { eventuallyPasses } from '../support/processes.js';
import { RunningServer } from '../support/server.js';

describe('failed requests in the console', () => {
  const server = RunningServer.forTests();
  const browser = TestBrowser.forTests(server);
  let organization: TestOrganization;
  let key: { id: string; apiKey: string };
  let traceId: string;
  const row = (page: Page, name: RegExp) =>
    page.getByRole('table', { name: 'Failed requests' }).getByRole('row', { name });

  beforeAll(async () => {
    organization = await createOrganization(server);
    key = await createKey(server, organization.id, { name: 'Scoreboard' });
    const invalid = await organization.call('post', '/teams', key.apiKey).send({ name: 'Hawks', color: 'red' });
    traceId = (invalid.body as { traceId: string }).traceId;
    await organization.call('get', `/teams/${unknownId}`).expect(403);
    await server.asSuperAdmin('delete', `/api-keys/${key.id}`).expect(200);
    for (let time = 0; time < 3; time++) await organization.call('get', '/teams', key.apiKey).expect(401);
    const path = `/organizations/${organization.id}/usage/outcomes`;
    await eventuallyPasses(async () => {
      const { text } = await server.asSuperAdmin('get', path).query({ apiKeyId: key.id });
      expect(text).toContain('revoked');
    }, 30);
  }, 60_000);

  it('are found by the traceId, with the fields and what to do', async () => {
    const page = await openConsole(browser, '/failed-requests');
    await page.getByRole('searchbox', { name: 'Search traceId' }).fill(` ${traceId} `);
    const found = row(page, /400 · 40001 A field is invalid …, season Scoreboard.*POST \/teams/);
    await found.getByText(/The partner corrects what it sends/).waitFor();
    await eventuallyPasses(async () => expect(await row(page, /·/).count()).toBe(1));
    await page.reload();
    await found.waitFor();
    await page.getByRole('searchbox', { name: 'Search traceId' }).fill('unknown-trace');
    await page.getByText('No matching failed request').waitFor();
    await page.getByRole('button', { name: 'Clear search and filters' }).click();
    await found.waitFor();
    await row(page, /GET \/teams\/\{teamId\}/)
      .first()
      .waitFor();
  });

  it('are one click from why requests fail, filtered by key and error', async () => {
    const page = await openConsole(browser, `/organizations/${organization.id}?tab=usage`);
    const outcome = page.getByRole('row', { name: /3 × 401 · 40101 .*since it was revoked.*Scoreboard/ });
    await outcome.getByText(/Give it another one/).waitFor();
    await outcome.getByRole('link', { name: 'Show requests' }).click();
    await heading(page, 'Failed requests').waitFor();
    await row(page, /401 · 40101 Invalid API key Key used since it was revoked/)
      .first()
      .waitFor();
    expect(await row(page, /·/).count()).toBe(3);
    await page.getByRole('button', { name: 'Show other errors than 40101' }).click();
    await row(page, /400 · 40001/).waitFor();
    const filter = page.getByRole('combobox', { name: 'Key' });
    await eventuallyPasses(async () => expect(await filter.inputValue()).toMatch(/^Scoreboard \(ffk_live_/));
    await filter.fill(organization.key.apiKey.slice(0, 21));
    await page.getByRole('option', { name: `(${organization.key.apiKey.slice(0, 21)}…)` }).click();
    await row(page, /403 · 40301/).waitFor();
    expect(await row(page, /·/).count()).toBe(1);
    await page.goBack();
    await page.getByLabel('Status').selectOption('400');
    await eventuallyPasses(async () => expect(await row(page, /·/).count()).toBe(1));
  });

  it('say on the page of a revoked key that it is still used, from where, and its requests of 7 days', async () => {
    const page = await openConsole(browser, `/keys/${key.id}`);
    await page.getByText(/In the last 7 days, used 3 times since it was revoked, last from 127\.0\.0\.1/).waitFor();
    await page.getByRole('img', { name: '1 request, 1 error in the last 7 days' }).waitFor();
    await page.getByText('167 other hours without requests.').waitFor({ state: 'attached' });
    await page.getByRole('link', { name: 'View failed requests' }).click();
    await row(page, /400 · 40001/).waitFor();
    expect(await row(page, /·/).count()).toBe(4);
  });

  it('that hit the limit are counted on the page of the key, which has its last address', async () => {
    const { id } = await createKey(server, organization.id);
    const database = await server.database();
    const lastUse = { lastUsedAt: new Date(), lastUsedFrom: '203.0.113.7' };
    await database.collection('apiKeys').updateOne({ _id: new ObjectId(id) }, { $set: lastUse });
    const count = {
      organizationId: new ObjectId(organization.id),
      hour: new Date(Math.floor(Date.now() / 3.6e6) * 3.6e6),
    };
    const outcomes = { [`${id}|listTeams|429|42901`]: { requests: 1_200 } };
    await database.collection('requestCounts').insertOne({ ...count, outcomes });
    const page = await openConsole(browser, `/keys/${id}`);
    await page.getByText('The rate limit rejected 1,200 requests (42901).').waitFor();
    await page.getByText(/ from 203\.0\.113\.7$/).waitFor();
  });
});
