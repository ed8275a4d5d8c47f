import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { startForTests } from './for-tests.js';

/** Reports what the Content-Security-Policy has blocked; zod, which Scalar contains, tries `eval` and works without. */
const reportViolations = `addEventListener('securitypolicyviolation', ({ blockedURI }) => {
  if (blockedURI !== 'eval') console.error('blocked by the policy: ' + blockedURI);
});`;

const defaults = { viewport: { width: 1440, height: 900 }, reducedMotion: 'reduce' } as const;

type Cookies = Parameters<BrowserContext['addCookies']>[0];

/** Chromium with pages of one server. */
export class TestBrowser {
  /** Requests to other origins, also those that the policy has blocked. */
  readonly foreignRequests: string[] = [];
  private readonly used: [options: BrowserContextOptions, page: Page][] = [];
  /** By their options. They are used again, because their process has compiled the scripts of the pages. */
  private readonly idle = new Map<string, Page[]>();

  private constructor(
    private readonly browser: Browser,
    readonly origin: string,
    readonly basePath: string,
  ) {}

  /**
   * Starts one for the tests of a file or `describe`. Its pages are closed after each test, and may not call other origins.
   * @param basePath the path below which a proxy would publish the server: all requests must be below it
   */
  static forTests(server: { readonly url: string }, basePath = ''): TestBrowser {
    const start = () => TestBrowser.start(server.url, basePath);
    const browser = startForTests(TestBrowser, start, { stop: (started) => started.stop() });
    afterEach(async () => {
      await browser.closePages();
      expect(browser.foreignRequests).toEqual([]);
    });
    return browser;
  }

  static async start(origin: string, basePath = ''): Promise<TestBrowser> {
    const executablePath = process.env['CHROMIUM_PATH'] ?? '/usr/bin/chromium-headless-shell';
    const args = ['--no-sandbox', '--process-per-site', '--in-process-gpu'];
    return new TestBrowser(await chromium.launch({ executablePath, args }), origin, basePath);
  }

  /** Opens a path in a page without any stored state but these cookies. */
  async open(pathname: string, options: BrowserContextOptions = {}, cookies: Cookies = []): Promise<Page> {
    const page = this.idle.get(JSON.stringify(options))?.pop() ?? (await (await this.createContext(options)).newPage());
    this.used.push([options, page]);
    await page.context().addCookies(cookies);
    await page.goto(this.basePath + pathname);
    return page;
  }

  private async createContext(options: BrowserContextOptions): Promise<BrowserContext> {
    const context = await this.browser.newContext({ baseURL: this.origin, ...defaults, ...options });
    context.setDefaultTimeout(20_000);
    await context.addInitScript(reportViolations);
    context.on('request', (request) => {
      const url = request.url();
      if (/^(?:https?|wss?):/.test(url) && new URL(url).origin !== this.origin) this.foreignRequests.push(url);
    });
    context.on('console', (message) => {
      if (message.text().startsWith('blocked by the policy')) this.foreignRequests.push(message.text());
    });
    const base = this.origin + this.basePath;
    if (this.basePath !== '')
      await context.route(`${this.origin}/**`, (route) => {
        const url = route.request().url();
        if (!url.startsWith(`${base}/`)) this.foreignRequests.push(url);
        return route.continue({ url: url.replace(base, this.origin) });
      });
    return context;
  }

  /** Leaves the pages, and removes what they have stored. */
  async closePages(): Promise<void> {
    const leave = async ([options, page]: [options: BrowserContextOptions, page: Page]) => {
      const context = page.context();
      for (const tab of context.pages()) if (tab !== page) await tab.close();
      await page.unrouteAll();
      await page.goto(`${this.basePath}/health/live`);
      await page.evaluate('localStorage.clear(); sessionStorage.clear()');
      await context.clearCookies();
      await page.emulateMedia({ colorScheme: options.colorScheme ?? null });
      await page.setViewportSize(options.viewport ?? defaults.viewport);
      const name = JSON.stringify(options);
      this.idle.set(name, [...(this.idle.get(name) ?? []), page]);
    };
    await Promise.all(this.used.splice(0).map(leave));
  }

  async stop(): Promise<void> {
    await this.browser.close();
  }
}
