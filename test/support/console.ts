import { readFileSync } from 'node:fs';
import type { BrowserContextOptions, Locator, Page } from 'playwright-core';
import type { TestBrowser } from './browser.js';
import { superAdmin } from './server.js';

export const dialogOf = (page: Page): Locator => page.getByRole('dialog');
export const heading = (page: Page, name: string | RegExp): Locator => page.getByRole('heading', { level: 1, name });

/** Fills in and sends the sign-in form. */
export async function signIn(
  page: Page | Locator,
  login: { email: string; password: string } = superAdmin,
): Promise<void> {
  await page.getByLabel('Email', { exact: true }).fill(login.email);
  await page.getByLabel('Password', { exact: true }).fill(login.password);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

/** Opens a page of the console, with the session of an earlier login. */
export async function openConsole(browser: TestBrowser, path = '', options: BrowserContextOptions = {}): Promise<Page> {
  const headers = { 'Content-Type': 'application/json' };
  const login = { method: 'POST', headers, body: JSON.stringify(superAdmin) };
  const response = await fetch(`${browser.origin}/auth/login`, login);
  const { accessToken } = (await response.json()) as { accessToken: string };
  const place = { domain: new URL(browser.origin).hostname, path: '/', secure: true };
  const name = `__Host-token${browser.basePath.replaceAll('/', '-')}`;
  const cookies = [{ ...place, name, value: accessToken, httpOnly: true, sameSite: 'Strict' as const }];
  const page = await browser.open(`/console${path}`, options, cookies);
  // The audit log also has buttons with this name.
  await page.getByRole('banner').getByRole('button', { name: 'Sign out' }).waitFor();
  return page;
}

/** Chooses an action in the menu at the end of a row. */
export async function chooseAction(page: Page, row: string, action: string): Promise<void> {
  await page.getByRole('button', { name: `Actions for ${row}` }).click();
  await page.getByRole('menuitem', { name: action }).click();
}

/** Presses the button that sends a dialog. */
export async function submit(page: Page, name: string): Promise<void> {
  await dialogOf(page).getByRole('button', { name, exact: true }).click();
}

/** Waits for a confirmation of the console. */
export async function notice(page: Page, text: string | RegExp): Promise<void> {
  await page.getByRole('status').getByText(text).waitFor();
}

/** Reads a password link from its dialog, which stays until it is stored, and closes it. */
export async function takeLink(page: Page): Promise<string> {
  const dialog = page.getByRole('dialog', { name: 'Store the link now' });
  const link = await dialog.getByLabel('Password link').inputValue();
  await page.keyboard.press('Escape');
  await dialog.getByLabel('I have stored the link').check();
  await submit(page, 'Close');
  await dialogOf(page).waitFor({ state: 'hidden' });
  return link;
}

/** Holds the next request to a path back. The returned function sends it, and waits for its response. */
export async function holdRequest(page: Page, path: string): Promise<() => Promise<unknown>> {
  let send = (): void => undefined;
  const released = new Promise<void>((resolve) => (send = resolve));
  await page.route(path, (route) => released.then(() => route.continue()), { times: 1 });
  return () => {
    const response = page.waitForResponse(path);
    send();
    return response;
  };
}

/** Answers the next requests to a path with an error of the server, until `page.unroute`. */
export async function failWith(page: Page, path: string, status: number, message: string): Promise<void> {
  const body = { error: status * 100, message, timestamp: '2027-05-01T10:00:00.000Z', traceId: 'a-failed-request' };
  await page.route(path, (route) => route.fulfill({ status, json: body }));
}

/** Presses "Download CSV", and returns the lines of the file. */
export async function downloadCsv(page: Page): Promise<string[]> {
  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Download CSV' }).click();
  return readFileSync(await (await download).path(), 'utf8')
    .trim()
    .split('\r\n');
}
