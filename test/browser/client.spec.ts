import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { TestBrowser } from '../support/browser.js';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { RunningServer } from '../support/server.js';

const root = path.resolve(__dirname, '../..');

/** Starts a site of a partner: an empty page, and the client as a bundle. */
async function startSite(folder: string): Promise<Server> {
  const site = createServer((request, response) => {
    const isModule = request.url?.endsWith('.js') === true;
    response.setHeader('Content-Type', isModule ? 'text/javascript' : 'text/html');
    const content = isModule ? readFile(path.join(folder, request.url ?? '')) : Promise.resolve('<!doctype html>');
    content.then(
      (body) => response.end(body),
      () => response.writeHead(404).end(),
    );
  });
  await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
  return site;
}

describe('the TypeScript client on a page of another origin', () => {
  let folder: string;
  let site: Server;
  let server: RunningServer;
  let organization: TestOrganization;
  let browser: TestBrowser;

  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'browser-client-'));
    const lib = "{ entry: 'page.js', formats: ['es'], fileName: () => 'index.js' }";
    // The package itself: `client-import`.
    const client = JSON.stringify(path.join(root, 'clients/typescript/src/index.ts'));
    await writeFile(path.join(folder, 'page.js'), `export { createClient } from ${client};`);
    await writeFile(path.join(folder, 'vite.config.mjs'), `export default { build: { lib: ${lib}, outDir: '.' } };`);
    await promisify(execFile)(path.join(root, 'node_modules/.bin/vite'), ['build'], { cwd: folder });
    site = await startSite(folder);
    const origin = `http://127.0.0.1:${(site.address() as AddressInfo).port}`;
    server = await RunningServer.start({ CORS_ORIGINS: origin });
    organization = await createOrganization(server);
    await organization.season();
    browser = await TestBrowser.start(origin);
  });
  afterAll(async () => {
    await browser.stop();
    await server.stop();
    site.close();
    await rm(folder, { recursive: true, force: true });
  });

  it('creates, lists, reads conditionally, and reads headers of errors', async () => {
    const page = await browser.open('/');
    const read = await page.evaluate(`(async () => {
      const { createClient } = await import('/index.js');
      const client = createClient(${JSON.stringify({ baseUrl: server.url, apiKey: organization.key.apiKey })});
      const [season] = (await client.seasons.list()).data;
      const team = await client.teams.create({ body: { name: 'Owls', season: season._id } });
      const path = { teamId: team._id };
      const names = ['Jordan Lee', 'Alex Kim', 'Sam Ortiz'];
      for (const name of names) await client.players.create({ path, body: { name } });
      const players = [];
      for await (const player of client.players.list({ path, query: { limit: 2 } })) players.push(player.name);
      const isSame = (await client.teams.get({ path, ifNoneMatch: team })) === team;
      const changed = await client.teams.update({ path, body: { name: 'Foxes' }, ifMatch: team });
      const { code } = await client.teams.update({ path, body: { name: 'Bears' }, ifMatch: team }).catch((error) => error);
      const headers = { 'X-Request-Id': 'from-a-page' };
      const { traceId } = await client.teams.list({ query: { limit: 0 }, headers }).catch((error) => error);
      return { players, isSame, name: changed.name, code, traceId };
    })()`);
    expect(read).toEqual({
      players: ['Jordan Lee', 'Alex Kim', 'Sam Ortiz'],
      isSame: true,
      name: 'Foxes',
      code: 41201,
      traceId: 'from-a-page',
    });
    expect(new Set(browser.foreignRequests.map((url) => new URL(url).origin))).toEqual(new Set([server.url]));
  });
});
