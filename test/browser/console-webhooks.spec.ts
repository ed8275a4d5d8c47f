import { randomUUID } from 'node:crypto';
import { ObjectId } from 'mongodb';
import { TestBrowser } from '../support/browser.js';
import { chooseAction, dialogOf, failWith, heading, notice, openConsole, submit } from '../support/console.js';
import { createOrganization, type Stored, type TestOrganization } from '../support/organization.js';
import { eventuallyPasses } from '../support/processes.js';
import { RunningServer } from '../support/server.js';
import { WebhookReceiver } from '../support/webhook-receiver.js';

describe('the webhooks in the console', () => {
  const server = RunningServer.forTests();
  const browser = TestBrowser.forTests(server);
  let organization: TestOrganization;
  let receiver: WebhookReceiver;
  let name: string;

  beforeAll(async () => {
    receiver = await WebhookReceiver.start();
  });
  afterAll(() => receiver.stop());
  beforeEach(async () => {
    name = `League ${randomUUID()}`;
    organization = await createOrganization(server, name);
    receiver.respond = (response) => void response.writeHead(500).end();
  });

  async function create(url: string): Promise<string> {
    const body = { url, description: 'ERP', events: ['team.deleted'] };
    return ((await organization.call('post', '/webhook-endpoints').send(body).expect(201)).body as Stored)._id;
  }

  it('of all organizations are listed with the failing ones first, and searched', async () => {
    const [healthy, failing] = [`https://${randomUUID()}.example.com/`, `https://${randomUUID()}.example.com/`];
    await create(healthy);
    const endpoints = (await server.database()).collection('webhookEndpoints');
    await endpoints.updateOne({ _id: new ObjectId(await create(failing)) }, { $set: { failingSince: new Date() } });
    const page = await openConsole(browser);
    await page.getByRole('link', { name: 'Webhooks', exact: true }).click();
    const rows = page.getByRole('table', { name: 'Webhook endpoints' }).getByRole('row');
    await rows.getByText(healthy).waitFor();
    const shown = (await rows.allInnerTexts()).join('\n');
    expect(shown.indexOf(failing)).toBeLessThan(shown.indexOf(healthy));
    expect(shown).toContain(failing);
    await page.getByLabel('Search URLs').fill(healthy.slice(8, 30).toUpperCase());
    await rows.getByText(failing).waitFor({ state: 'hidden' });
    await rows.getByText(healthy).waitFor();
    await rows.getByRole('link', { name }).waitFor();
    await page.getByLabel('Status').selectOption('Disabled');
    await page.getByText('No matching webhook endpoints').waitFor();
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await rows.getByText(failing).waitFor();
  });

  it('say why they stopped, are tried with a ping, and get what failed again', async () => {
    // So late that only the console causes a second attempt.
    receiver.respond = (response) => void response.writeHead(500, { 'Retry-After': '3600' }).end();
    const page = await openConsole(browser, `/webhooks/${await create(receiver.url)}`);
    const { keyPrefix } = organization.key;
    await page.getByRole('row', { name: `Created` }).getByText(keyPrefix).waitFor();
    await page.getByRole('row', { name: 'Events' }).getByText('team.deleted').waitFor();
    await page.getByRole('button', { name: 'Send ping' }).click();
    await submit(page, 'Send ping');
    await notice(page, 'The ping is queued.');
    const ping = page.getByRole('table', { name: 'Deliveries' }).getByRole('row', { name: /ping/ });
    await ping.getByText('HTTP 500').waitFor();
    await ping.getByRole('button', { name: /attempt/ }).click();
    await dialogOf(page)
      .getByRole('row', { name: /:\d\d:\d\d .*HTTP 500/ })
      .first()
      .waitFor();
    await page.keyboard.press('Escape');
    await ping.getByText('Pending').waitFor();
    await ping.getByText(/^Fails for good about /).waitFor();
    await page.getByRole('button', { name: 'Send failed deliveries again' }).click();
    await submit(page, 'Send failed deliveries again');
    // The ping waits for its next attempt.
    await notice(page, '1 delivery will be sent again.');
    await ping.getByText(/^2 attempts/).waitFor({ timeout: 60_000 });

    const deliveries = (await server.database()).collection('webhookDeliveries');
    const organizationId = new ObjectId(organization.id);
    await deliveries.updateMany({ organizationId }, { $set: { status: 'failed' }, $unset: { nextAttemptAt: 1 } });
    receiver.respond = (response) => void response.writeHead(204).end();
    await ping.getByText('Failed').waitFor();
    await page.getByRole('status').getByText('1 delivery will be sent again.').waitFor({ state: 'hidden' });
    await page.getByRole('button', { name: 'Send failed deliveries again' }).click();
    await submit(page, 'Send failed deliveries again');
    await notice(page, '1 delivery will be sent again.');
    await ping.getByText('Succeeded').waitFor();

    const { length } = receiver.received;
    await page.getByRole('button', { name: /^Actions for ping/ }).click();
    await page.getByRole('menuitem', { name: 'Send again' }).click();
    await submit(page, 'Send again');
    await notice(page, 'The delivery is queued.');
    await eventuallyPasses(() => expect(receiver.received.length).toBeGreaterThan(length));
    await ping.getByText('HTTP 204').waitFor();
  });

  it('name the record of a delivery, which is found with its ID, and show new attempts', async () => {
    const { _id: teamId } = await organization.team({ name: 'Hawks' });
    const endpointId = await create(receiver.url);
    const deliveries = (await server.database()).collection('webhookDeliveries');
    const attempt = { at: new Date(), error: 'ENOTFOUND', durationMs: 80 };
    const owner = { endpointId: new ObjectId(endpointId), organizationId: new ObjectId(organization.id) };
    const delivery = { event: 'team.updated', record: `team.${teamId}`, status: 'failed', attempts: [attempt] };
    await deliveries.insertOne({ ...owner, ...delivery, createdAt: new Date() });
    const page = await openConsole(browser, `/webhooks/${endpointId}`);
    await page.getByRole('button', { name: '1 attempt' }).click();
    const attempts = page.getByRole('table', { name: 'Attempts' }).getByRole('row');
    await attempts.getByText('The host name was not found (ENOTFOUND). Ask the partner to check the URL.').waitFor();
    const next = { at: new Date(Date.now() + 1_000), statusCode: 204, durationMs: 9 };
    await deliveries.updateOne(owner, { $set: { attempts: [attempt, next] } });
    await attempts.getByText('HTTP 204').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('link', { name: `Team ${teamId}` }).click();
    await page.getByRole('button', { name: 'Search' }).click();
    await page.getByText('Found: 1 team, 0 players, 0 schedules.').waitFor();
  });

  it('are disabled from their organization, and an error is shown', async () => {
    const id = await create(receiver.url);
    const page = await openConsole(browser, `/organizations/${organization.id}?tab=webhooks`);
    await chooseAction(page, receiver.url, 'Disable endpoint');
    await submit(page, 'Disable endpoint');
    await page.getByRole('link', { name: receiver.url }).click();
    await heading(page, receiver.url).waitFor();
    await page.getByText('Disabled by a super admin').waitFor();
    expect(await page.getByRole('button', { name: 'Send ping' }).count()).toBe(0);
    await failWith(page, `**/webhook-endpoints/${id}`, 503, 'The database is unavailable');
    await page.getByRole('button', { name: 'Enable endpoint' }).click();
    await submit(page, 'Enable endpoint');
    await dialogOf(page).getByText('The database is unavailable').waitFor();
  });
});
