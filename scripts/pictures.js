/**
 * Writes `docs/images` from a demo, with keys and requests that fail as those of partners:
 *
 *   npm run build && node_modules/.bin/node scripts/pictures.js
 *
 * Requires chromium-headless-shell, or another Chromium at CHROMIUM_PATH.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { chromium } from 'playwright-core';
import { send, startServer } from './demo-server.js';

const images = path.join(import.meta.dirname, '../docs/images');
const day = 86_400_000;
/** GitHub shows it without shrinking its text. */
const size = { width: 1_000, height: 560 };
/** The pictures leave out the header and the navigation of the console and of the API reference. */
const consoleFrame = { x: 224, y: 72 };
const referenceFrame = { x: 332, y: 70 };
/** How long the server takes to store the requests and the last uses of keys. */
const storing = 75_000;

const folder = await mkdtemp(path.join(tmpdir(), 'pictures-'));
const server = await startServer(path.join(folder, 'demo'));
const executablePath = process.env.CHROMIUM_PATH ?? '/usr/bin/chromium-headless-shell';
const rule = `--host-resolver-rules=MAP localhost:3000 ${new URL(server.url).host}`;
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', rule] });
try {
  const organizationId = await arrange();
  await takePictures(organizationId);
} finally {
  await browser.close();
  await server.stop();
  await rm(folder, { recursive: true, force: true });
}

/** Creates keys and traffic. Returns the organization of the demo. */
async function arrange() {
  const { data } = await send(`${server.url}/v1/public-api/teams`, server.apiKey);
  const [{ organizationId }] = data;
  const keys = [server.apiKey];
  for (const [name, days, scopes] of [
    ['Registration platform', 12, ['seasons:read', 'teams:write', 'players:*']],
    ['Scoreboard', 200, ['seasons:read', 'schedules:*']],
  ]) {
    const expiresAt = new Date(Date.now() + days * day);
    const body = { name, organizationId, scopes, expiresAt, allowedAddresses: ['127.0.0.1'] };
    keys.push((await send(`${server.url}/api-keys`, server.token, body)).apiKey);
  }
  for (const [route, times, key] of [
    ...keys.map((each) => ['/seasons', 14, each]),
    ['/teams/nothing', 3, keys[0]],
    ['/teams', 8, keys[2]],
  ])
    for (let sent = 0; sent < times; sent++)
      await fetch(`${server.url}/v1/public-api${route}`, { headers: { Authorization: `Bearer ${key}` } });
  await moveGame(organizationId, keys[2]);
  await sleep(storing);
  return organizationId;
}

/** Moves a game with a key, then as a super admin. */
async function moveGame(organizationId, key) {
  const route = `${server.url}/v1/public-api/schedules`;
  const { data } = await send(`${route}?filter=upcoming`, key);
  const { _id, teamId, teamTwoId, startDate } = data.find(
    ({ eventTitle }) => eventTitle === 'Summit Wolves vs Valley Otters',
  );
  const shown = { externalId: 'game-17', timeZone: 'America/Los_Angeles' };
  const later = (hours) => new Date(Date.parse(startDate) + hours * 3_600_000);
  const headers = { 'Content-Type': 'application/json', Authorization: `Bearer ${key}` };
  const body = JSON.stringify({ ...shown, teamId, startDate: later(2), locationName: 'Field 3, Veterans Park' });
  await fetch(`${route}/${_id}`, { method: 'PATCH', headers, body });
  const row = { ...shown, teamId, teamTwoId, startDate: later(24), locationName: 'Field 1, Veterans Park' };
  await send(`${server.url}/organizations/${organizationId}/schedules/bulk`, server.token, { rows: [row] });
}

async function takePictures(organizationId) {
  const consolePage = await open(consoleFrame.x);
  await consolePage.context().addCookies([
    {
      ...{ name: '__Host-token', value: server.token, url: 'https://localhost:3000' },
      httpOnly: true,
      secure: true,
      sameSite: 'Strict',
    },
  ]);
  const show = async (route, table) => {
    await consolePage.goto(`http://localhost:3000/console${route}`);
    await consolePage
      .getByRole('table', table && { name: table })
      .first()
      .waitFor();
    await consolePage.waitForLoadState('networkidle');
  };
  /** A picture from a heading on, or of the page without the empty space below it. */
  const take = async (name, heading) => {
    const box = await consolePage.locator('#main > *').first().boundingBox();
    const { y } = (heading && (await consolePage.getByRole('heading', { name: heading }).boundingBox())) ?? {};
    await write(
      consolePage,
      name,
      { x: consoleFrame.x, y: y ? y - 16 : consoleFrame.y },
      y ? size.height : box.height + 32,
    );
  };
  await show('', 'Traffic by organization');
  await take('console-overview');
  await show(`/organizations/${organizationId}?tab=keys`, 'Keys');
  await take('console-organization');
  await consolePage.getByRole('button', { name: 'Create key' }).click();
  const dialog = consolePage.getByRole('dialog');
  await dialog.getByLabel('Name').fill('Mobile app');
  await dialog.getByText('Custom', { exact: true }).click();
  await write(consolePage, 'console-create-key', { x: consoleFrame.x / 2, y: (await dialog.boundingBox()).y - 24 });
  await consolePage.setViewportSize({ width: consoleFrame.x + size.width, height: 1_800 });
  await show(`/organizations/${organizationId}?tab=usage`);
  await take('console-usage', 'Why requests fail');
  await show('/webhooks', 'Webhook endpoints');
  await consolePage.getByRole('table', { name: 'Webhook endpoints' }).getByRole('link').first().click();
  await consolePage.getByRole('table', { name: 'Deliveries' }).waitFor();
  await take('console-webhook', 'Deliveries of the last 30 days');
  await show(`/organizations/${organizationId}?tab=seasons`, 'Seasons');
  await consolePage.getByRole('link', { name: 'Demo season' }).click();
  await consolePage.getByRole('table', { name: 'Games' }).waitFor();
  await take('console-season');
  // Without the name of the console.
  const left = consoleFrame.x + 24;
  await consolePage.setViewportSize({ width: left + size.width, height: 900 });
  await consolePage.getByRole('button', { name: 'Summit Wolves vs Valley Otters' }).nth(1).click();
  await consolePage.getByRole('tab', { name: 'History' }).click();
  await consolePage.getByRole('dialog').getByRole('link', { name: 'Scoreboard' }).waitFor();
  await write(consolePage, 'console-history', { x: left, y: 0 });
  const reference = await open(referenceFrame.x + 44);
  await reference.goto('http://localhost:3000/docs#public/tag/teams/GET/v1/public-api/teams');
  await reference.getByRole('button', { name: 'Test Request (get /v1/public-api/teams)' }).waitFor();
  // The operation in the address has the focus, with an outline.
  await reference.evaluate('document.activeElement.blur()');
  await write(reference, 'api-reference', referenceFrame);
}

async function open(left) {
  const viewport = { width: left + size.width, height: 900 };
  return browser.newPage({ colorScheme: 'light', reducedMotion: 'reduce', deviceScaleFactor: 2, viewport });
}

function write(page, name, corner, height = size.height) {
  const clip = { ...corner, width: size.width, height: Math.min(height, size.height) };
  return page.screenshot({ path: path.join(images, `${name}.png`), clip, animations: 'disabled' });
}
