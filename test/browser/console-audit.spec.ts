import { randomUUID } from 'node:crypto';
import { auditActions } from '../../src/modules/audit/audit-event.schema.js';
import { TestBrowser } from '../support/browser.js';
import { dialogOf, downloadCsv, failWith, heading, openConsole, signIn, submit } from '../support/console.js';
import { createKey, createOrganization, type TestOrganization } from '../support/organization.js';
import { RunningServer, superAdmin } from '../support/server.js';

describe('the audit and the overview of the console', () => {
  const server = RunningServer.forTests();
  const browser = TestBrowser.forTests(server);
  let organization: TestOrganization;
  let name: string;

  beforeEach(async () => {
    name = `Audited ${randomUUID()}`;
    organization = await createOrganization(server, name);
  });

  it('show the events of one organization, and the details of each', async () => {
    const page = await openConsole(browser, `/organizations/${organization.id}`);
    await page.getByRole('link', { name: 'View audit log' }).click();
    await heading(page, 'Audit log').waitFor();
    const events = page.getByRole('table', { name: 'Audit events' });
    await events.getByText('Create organization').waitFor();
    for (const width of [1280, 1920]) {
      await page.setViewportSize({ width, height: 900 });
      await page.locator('.list:not(.cards)').waitFor();
    }
    await page.getByLabel('Action').selectOption('Create key');
    await events.getByText('Create organization').waitFor({ state: 'hidden' });
    await events.getByRole('button', { name: 'Create key' }).click();
    const details = dialogOf(page);
    for (const text of [superAdmin.email, name, 'Registration platform', 'Request ID']) {
      await details.getByText(text).first().waitFor();
    }
    await page.keyboard.press('Escape');
    await details.waitFor({ state: 'hidden' });
    expect(new URL(page.url()).searchParams.get('organizationId')).toBe(organization.id);
  });

  it('link to the record of an event', async () => {
    const season = await organization.season({ name: 'Spring 2027' });
    const player = await organization.player((await organization.team({ season: season._id }))._id);
    const path = `/organizations/${organization.id}`;
    await server.asSuperAdmin('get', `${path}/records`).query({ search: player._id }).expect(200);
    const endpoint = { url: 'https://example.com/hooks' };
    const created = await organization.call('post', '/webhook-endpoints').send(endpoint).expect(201);
    const pages = {
      'Create organization': path,
      'Create key': `/keys/${organization.key.id}`,
      'Create season': `${path}/seasons/${season._id}`,
      'View player': `${path}?tab=data&search=${player._id}`,
      'Create webhook endpoint': `/webhooks/${(created.body as { _id: string })._id}`,
    };
    const page = await openConsole(browser, `/audit?organizationId=${organization.id}`);
    const events = page.getByRole('table', { name: 'Audit events' });
    for (const [label, linked] of Object.entries(pages)) {
      await events.getByRole('button', { name: label }).click();
      const link = dialogOf(page)
        .getByRole('row', { name: /^Record (?!ID)/ })
        .getByRole('link');
      expect([label, await link.getAttribute('href')]).toEqual([label, `/console${linked}`]);
      await page.keyboard.press('Escape');
      await dialogOf(page).waitFor({ state: 'hidden' });
    }
  });

  it('filter by every action, with the words of its events', async () => {
    await server.asSuperAdmin('patch', `/organizations/${organization.id}`).send({ disabled: true }).expect(200);
    const page = await openConsole(browser, `/audit?organizationId=${organization.id}`);
    await page.getByLabel('Action').selectOption('Edit, enable or disable organization');
    await page.getByRole('button', { name: 'Disable organization' }).waitFor();
    await page.getByRole('button', { name: 'Create organization' }).waitFor({ state: 'hidden' });
    const options = await page.getByLabel('Action').locator('option').all();
    const values = await Promise.all(options.map((option) => option.getAttribute('value')));
    expect(values).toEqual(['', ...auditActions]);
  });

  it('keep filters under a name in the browser', async () => {
    const page = await openConsole(browser, `/audit?organizationId=${organization.id}&action=createApiKey`);
    await page.getByRole('button', { name: 'Save filters' }).click();
    await dialogOf(page).getByLabel('Name').fill('New keys');
    await submit(page, 'Save filters');
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await page.reload();
    await page.getByLabel('Saved filters').selectOption('New keys');
    await page.waitForURL(`**/audit?organizationId=${organization.id}&action=createApiKey`);
    await page.getByRole('button', { name: 'Remove from saved filters' }).click();
    await page.getByLabel('Saved filters').waitFor({ state: 'hidden' });
  });

  it('mark what belongs to a sandbox', async () => {
    const sandbox = await createOrganization(server, `${name} test`, { isSandbox: true });
    const page = await openConsole(browser, `/audit?organizationId=${sandbox.id}`);
    await page
      .getByRole('row', { name: `Create organization Organization ${name} test` })
      .getByText('Sandbox')
      .waitFor();
    await page
      .getByLabel('Organization')
      .and(page.locator(`[value="${name} test (sandbox)"]`))
      .waitFor();
  });

  it('name the record, show old beside new values, and are found by person', async () => {
    const { creator } = organization;
    const updated = `${name} renamed`;
    await server.asSuperAdmin('patch', `/organizations/${organization.id}`).send({ name: updated }).expect(200);
    await server.login(creator.email, creator.password);
    const page = await openConsole(browser, `/audit?organizationId=${organization.id}`);
    const events = page.getByRole('table', { name: 'Audit events' });
    const edited = events.getByRole('row', { name: new RegExp(`Edit organization Organization ${name} `) });
    await edited.getByRole('button', { name: 'Edit organization' }).click();
    await dialogOf(page)
      .getByRole('row', { name: `name ${name} ${updated}` })
      .waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('combobox', { name: 'Person' }).fill(creator.email);
    await page.getByRole('option', { name: `${creator.name}, ${creator.email}` }).click();
    await edited.waitFor({ state: 'hidden' });
    await events.getByRole('row', { name: new RegExp(`Sign in User ${creator.email}`) }).waitFor();
    const [, ...rows] = await downloadCsv(page);
    expect(rows).toHaveLength(1);
    expect(rows[0]).toContain(`"Sign in","User ${creator.email}"`);
  });

  it('say where a long CSV file ends, and why a download fails', async () => {
    const page = await openConsole(browser, `/audit?organizationId=${organization.id}`);
    const event = { at: '2027-05-01T10:00:00.000Z', action: 'login', actor: { kind: 'user' }, outcome: 'success' };
    const json = { data: Array.from({ length: 100 }, () => event), nextCursor: 'more' };
    const pages = '**/audit-events?*limit=100*';
    await page.route(pages, (route) => route.fulfill({ json }));
    expect(await downloadCsv(page)).toHaveLength(10_001);
    const end = page.getByText('The file ends after 10,000 rows. Choose a shorter period for the others.');
    await end.waitFor();
    await failWith(page, pages, 500, 'It failed');
    await page.getByRole('button', { name: 'Download CSV' }).click();
    await page.getByRole('alert').getByText('It failed').waitFor();
    expect(await end.count()).toBe(0);
  });

  it('load more events, and show none for a time without events', async () => {
    for (let turn = 0; turn < 21; turn++) {
      const path = `/organizations/${organization.id}`;
      await server
        .asSuperAdmin('patch', path)
        .send({ name: `${name} ${turn}` })
        .expect(200);
    }
    const page = await openConsole(browser, `/audit?organizationId=${organization.id}`);
    const rows = page.getByRole('table', { name: 'Audit events' }).getByRole('row');
    await page.getByRole('button', { name: 'Load more' }).click();
    await rows.getByText('Create organization').waitFor();
    expect(await rows.count()).toBeGreaterThan(21);
    await page.getByLabel('Before').fill('2026-01-01T00:00');
    await page.getByLabel('Before').press('Enter');
    await page.getByText('No matching events').waitFor();
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await rows.first().waitFor();
  });

  it('keep the focus in a filter, and ignore an invalid one', async () => {
    const page = await openConsole(browser, '/audit?from=yesterday');
    await page.getByLabel('Action').focus();
    await page.keyboard.press('ArrowDown');
    await page.waitForURL(/action=/);
    expect(new URL(page.url()).searchParams.has('from')).toBe(false);
    expect(await page.evaluate('document.activeElement.labels[0].innerText')).toBe('Action');
  });

  it('show the traffic of all organizations with one scale, and no bar for an hour without requests', async () => {
    const hours = (requests: number) =>
      [requests, 0].map((count, hour) => ({ hour: `2027-05-01T0${hour}:00:00.000Z`, requests: count, errors: 0 }));
    const data = [10_000, 1_000].map((requests) => ({
      organization: { _id: String(requests).padStart(24, '0'), name: `${requests} requests` },
      hours: hours(requests),
      ...{ requests, errors: 0 },
    }));
    const page = await browser.open('/console');
    await page.route('**/usage', (route) => route.fulfill({ json: { data, total: 46 } }));
    await signIn(page);
    await page.getByRole('table', { name: 'Traffic by organization' }).waitFor();
    await page.getByText('The first 2 of 46.').waitFor();
    // The painted pixels in the middle of each hour's half of the canvas.
    const heights = await page.evaluate<
      number[]
    >(`[...document.querySelectorAll('[role=cell] canvas[role=img]')].flatMap(
      (canvas) => [1, 3].map((quarter) => {
        const column = canvas.getContext('2d').getImageData((canvas.width * quarter) / 4, 0, 1, canvas.height);
        return column.data.filter((value, index) => index % 4 === 3 && value > 127).length;
      }))`);
    expect(heights).toEqual([32, 0, 3, 0]);
  });

  it('link what needs attention, except what someone disabled, to where it is fixed', async () => {
    const expiresAt = new Date(Date.now() + 60_000).toISOString();
    const { id } = await createKey(server, organization.id, { name, expiresAt });
    const [failing, disabled] = [`https://${randomUUID()}.example.com/`, `https://${randomUUID()}.example.com/`];
    await organization.call('post', '/webhook-endpoints').send({ url: failing }).expect(201);
    const created = await organization.call('post', '/webhook-endpoints').send({ url: disabled }).expect(201);
    const path = `/webhook-endpoints/${(created.body as { _id: string })._id}`;
    await server.asSuperAdmin('patch', path).send({ isEnabled: false }).expect(200);
    const endpoints = (await server.database()).collection('webhookEndpoints');
    await endpoints.updateOne({ url: failing }, { $set: { failingSince: new Date() } });

    const page = await openConsole(browser);
    const attention = page.getByRole('table', { name: 'Needs attention' });
    await attention.getByRole('link', { name: failing }).waitFor();
    expect(await attention.getByRole('link', { name: disabled }).count()).toBe(0);
    await attention
      .getByRole('row', { name: new RegExp(`Key ${name}`) })
      .getByRole('link', { name, exact: true })
      .first()
      .click();
    await heading(page, name).waitFor();
    await page.getByRole('row', { name: /Expires/ }).waitFor();
    await page.getByRole('button', { name: 'Edit key' }).waitFor();
    await server.asSuperAdmin('delete', `/api-keys/${id}`).expect(200);
  });
});
