import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { DemoServer, type Page } from '../support/demo-server.js';
import { api } from '../support/organization.js';
import { logLines } from '../support/preload.js';
import { eventually, findProcesses } from '../support/processes.js';

// An embedded mongod starts slowly on a busy machine.
jest.setTimeout(90_000);

describe('a first run on an empty machine', () => {
  let folder: string;
  let demo: DemoServer;
  const restart = async (signal?: NodeJS.Signals) => {
    await demo.server.end(signal);
    demo = await DemoServer.start(folder);
  };
  const demoFile = () => path.join(folder, '.data', 'demo.env');

  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'demo-test-'));
    demo = await DemoServer.start(folder);
  });
  afterAll(async () => {
    await demo.server.end();
    await rm(folder, { recursive: true, force: true });
  });

  it('prints the addresses of API, docs and console, a key, a login and commands to try after it is ready', async () => {
    const { url } = demo.server;
    expect(demo.screen).toEqual([
      '',
      `URL: ${url}`,
      `API reference: ${url}/docs`,
      `Console: ${url}/console`,
      expect.stringMatching(/^Demo API key: ffk_live_[0-9A-Za-z]{50}$/),
      expect.stringMatching(/^Super admin: admin@demo\.example \/ \S{16}$/),
      '',
      'Try it in this folder:',
      '. .data/demo.env',
      expect.stringMatching(/^curl /),
      '',
      '',
    ]);
    const commands = demo.screen.slice(demo.screen.indexOf('. .data/demo.env')).join('\n');
    const { stdout } = await promisify(execFile)('sh', ['-euc', `${commands}env`], { cwd: folder });
    expect(JSON.parse(stdout.slice(0, stdout.lastIndexOf('}') + 1))).toMatchObject({ total: 1 });
    // Programs find the server, whatever its port.
    expect(stdout).toContain(`\nAPI=${url}${api}\n`);
    const { email, password } = demo.superAdmin;
    expect(await demo.server.login(email, password)).toMatch(/^ey/);
  });

  it('fills its key into the API reference, but not through a proxy or tunnel', async () => {
    const open = (headers: Record<string, string>) => demo.server.call('get', '/docs').set(headers).expect(200);
    for (const headers of [{}, { host: '127.0.0.2:80' }, { host: '[::1]' }])
      expect((await open(headers)).text).toContain(`"token":"${demo.key}"`);
    const rewritten = [{ 'x-forwarded-for': '203.0.113.7' }, { forwarded: 'for=203.0.113.7' }];
    const hosts = ['api.example.com', '127.attacker.example', '127.0.0.1.attacker.example'].map((host) => ({ host }));
    for (const headers of [...hosts, ...rewritten]) {
      expect((await open(headers)).text).toContain('"token":""');
    }
  });

  it('writes no secret into its log', () => {
    const logged = demo.server.log.split('\n').filter((line) => line.startsWith('{'));
    expect(logged.length).toBeGreaterThan(0);
    expect(logged.join()).not.toContain(demo.key);
    expect(logged.join()).not.toContain(demo.superAdmin.password);
  });

  it('records its season and its statistics in the audit, like every change', async () => {
    const { email, password } = demo.superAdmin;
    const token = await demo.server.login(email, password);
    const audit = await demo.server.call('get', '/audit-events?limit=100').set('Authorization', `Bearer ${token}`);
    const events = (audit.body as { data: { action: string; actor: { kind: string } }[] }).data;
    const changes = events.map(({ action, actor }) => `${action} by ${actor.kind}`);
    expect(changes).toContain('createApiKey by user');
    expect(changes).toContain('createSeason by server');
    expect(changes).toContain('replacePlayerStatistics by server');
  });

  it('shows the same key and duplicates nothing at the next start, also after it was killed, which ends its mongod; the live game is live again', async () => {
    const { key, superAdmin } = demo;
    const before = await demo.totals();
    const game = await demo.liveGame();
    const rows = await demo.statistics(game);
    const yesterday = { startDate: '2026-01-01T10:00:00Z', endDate: '2026-01-01T11:00:00Z' };
    const over = demo.server.call('patch', `${api}/schedules/${game._id}`).set('Authorization', `Bearer ${key}`);
    await over.send({ teamId: game.teamId, ...yesterday }).expect(200);

    await restart('SIGKILL');
    expect(demo.key).toBe(key);
    expect(demo.superAdmin).toEqual(superAdmin);
    expect(demo.server.log).not.toContain('Created the demo data');
    expect(await demo.totals()).toEqual(before);
    expect((await demo.liveGame())._id).toBe(game._id);
    expect(await demo.statistics(game)).toEqual(rows);
  });

  it('recreates a deleted live game and a revoked key', async () => {
    const { key } = demo;
    const { total } = await demo.list('/schedules');
    const game = await demo.liveGame();
    const remove = demo.server.call('delete', `${api}/schedules/${game._id}?teamId=${game.teamId}`);
    await remove.set('Authorization', `Bearer ${key}`).expect(200);
    const token = await demo.server.login(demo.superAdmin.email, demo.superAdmin.password);
    const asAdmin = (method: 'get' | 'delete', route: string) =>
      demo.server.call(method, route).set('Authorization', `Bearer ${token}`).expect(200);
    const organizationId = String((await demo.list('/teams')).data[0]?.['organizationId']);
    const keys = (await asAdmin('get', `/api-keys?organizationId=${organizationId}`)).body as Page<{ id: string }>;
    await asAdmin('delete', `/api-keys/${keys.data[0]?.id ?? ''}`);

    await restart();
    expect(demo.key).not.toBe(key);
    expect((await demo.list('/schedules')).total).toBe(total);
    const created = await demo.liveGame();
    expect(created._id).not.toBe(game._id);
    expect((await demo.statistics(created)).length).toBeGreaterThan(10);
  });

  it('starts over if creating the demo data was interrupted, and keeps its super admin', async () => {
    const { key, superAdmin } = demo;
    const before = await demo.totals();
    const remembered = (await readFile(demoFile(), 'utf8')).split('\n').filter((line) => line.includes('_ADMIN_'));
    await writeFile(demoFile(), ['DEMO_UNFINISHED=true', ...remembered].join('\n'));

    await restart();
    expect(demo.key).not.toBe(key);
    expect(demo.superAdmin).toEqual(superAdmin);
    expect({ ...(await demo.totals()), schedules: before['schedules'] }).toEqual(before);
    expect(await readFile(demoFile(), 'utf8')).not.toContain('UNFINISHED');
  });

  it('starts without creating data if the database has data but the key file is missing', async () => {
    await rm(demoFile());
    await restart();
    expect(demo.key).toBe('');
    expect(demo.screen.join('\n')).toContain('Super admin: as set at the first start');
    expect(demo.server.log).toContain('No demo data: ');
    await expect(stat(demoFile())).rejects.toThrow('ENOENT');
  });

  it('exits with the reason when its mongod is killed', async () => {
    process.kill(findProcesses(folder)[0]?.pid ?? 0, 'SIGKILL');
    await eventually('the exit', () => demo.server.process.exitCode !== null);
    expect(demo.server.process.exitCode).toBe(1);
    expect(logLines(demo.server.log, { level: 'fatal' })).toMatchObject([
      { err: { message: expect.stringContaining('The embedded MongoDB ended unexpectedly') as string } },
    ]);
    expect(findProcesses(folder)).toEqual([]);
  });
});
