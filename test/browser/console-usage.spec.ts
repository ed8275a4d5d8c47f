import { ObjectId } from 'mongodb';
import type { Page } from 'playwright-core';
import { TestBrowser } from '../support/browser.js';
import { downloadCsv, heading, openConsole } from '../support/console.js';
import { createKey, createOrganization, type TestOrganization } from '../support/organization.js';
import { RunningServer } from '../support/server.js';

describe('the usage in the console', () => {
  const server = RunningServer.forTests();
  const browser = TestBrowser.forTests(server);
  let organization: TestOrganization;
  const open = (search = '') => openConsole(browser, `/organizations/${organization.id}?tab=usage${search}`);
  const outcomes = (page: Page) => page.getByRole('table', { name: 'Outcomes of requests' });

  /** Stores what servers have counted in an hour. */
  async function storeCounts(hoursAgo: number, counted: Record<string, { requests: number; detail?: string }>) {
    const hour = new Date(Math.floor(Date.now() / 3_600_000 - hoursAgo) * 3_600_000);
    const requests = Object.values(counted).reduce((sum, count) => sum + count.requests, 0);
    const record = { hour, requests, errors: requests, errorCodes: {}, outcomes: counted };
    const organizationId = new ObjectId(organization.id);
    await (await server.database()).collection('requestCounts').insertOne({ ...record, organizationId });
  }

  beforeEach(async () => {
    organization = await createOrganization(server);
    const [erp, other] = [
      await createKey(server, organization.id, { name: '=SportsERP' }),
      await createKey(server, organization.id, { name: 'Scoreboard' }),
    ];
    await storeCounts(1, {
      [`${erp.id}|createSchedule|403|40305`]: { requests: 8, detail: 'schedules:write' },
      [`${other.id}|listTeams|403|40306`]: { requests: 2, detail: '198.51.100.7' },
      [`${other.id}|listTeams|200|0`]: { requests: 5 },
    });
    const rare = Array.from({ length: 120 }, (_, index) => `${other.id}|operation${index}|404|40401`);
    const counts = Object.fromEntries(rare.map((outcome) => [outcome, { requests: 1 }] as const));
    await storeCounts(100, { [`${other.id}|listTeams|429|42901`]: { requests: 30 }, ...counts });
  });

  it('says why a partner fails, with which key, and what to do', async () => {
    const page = await open();
    const scope = outcomes(page).getByRole('row', {
      name: /8 × 403 · 40305 The API key lacks a required scope schedules:write/,
    });
    await scope.getByText(/edit the key and add it/).waitFor();
    await outcomes(page)
      .getByRole('row', { name: /2 × 403 · 40306 .*198\.51\.100\.7 Scoreboard GET \/teams/ })
      .waitFor();
    expect(await outcomes(page).getByRole('row').count()).toBe(3);
    await page.getByLabel('Filter', { exact: true }).selectOption('All requests');
    await outcomes(page)
      .getByRole('row', { name: /5 × 200 Succeeded/ })
      .waitFor();
    await scope.getByRole('link', { name: '=SportsERP' }).click();
    await heading(page, '=SportsERP').waitFor();
    await scope.getByText(/edit the key and add it/).waitFor();
    expect(await outcomes(page).getByRole('row').count()).toBe(2);
  });

  it('covers 7 days, in a table and, with all requests, as CSV without formulas', async () => {
    const page = await open();
    await page.getByText('7 days').click();
    await page.getByRole('img', { name: '165 requests, 165 errors in the last 7 days' }).waitFor();
    await outcomes(page)
      .getByRole('row', { name: /30 × 429 · 42901/ })
      .waitFor();
    const [header, ...rows] = await downloadCsv(page);
    expect(header).toContain('"Key","Key prefix","Route","Status","Error code"');
    expect(rows).toHaveLength(124);
    await outcomes(page).getByRole('link', { name: 'Scoreboard' }).first().click();
    await page.getByText('The first 20 of 122.').waitFor();
    expect(rows[1]).toContain(`"'=SportsERP","ffk_live_`);
    const outcome = '"POST /schedules","403","40305","The API key lacks a required scope","schedules:write","8",';
    const [from, to] =
      rows[1]
        ?.split(outcome)[1]
        ?.split(',')
        .map((time) => Date.parse(JSON.parse(time) as string)) ?? [];
    expect(Math.trunc(((to ?? NaN) - (from ?? NaN)) / 3_600_000)).toBe(167);
  });
});
