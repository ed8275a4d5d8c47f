import { randomUUID } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { mongo } from 'mongoose';
import { DemoServer } from '../support/demo-server.js';
import { expectInvalidKey } from '../support/expectations.js';
import { everythingIn } from '../support/full-organization.js';
import { api } from '../support/organization.js';
import { eventually, processesNaming } from '../support/processes.js';
import { RunningServer } from '../support/server.js';
import { ServerProcess } from '../support/server-process.js';
import { testDatabaseUri } from '../support/test-database.js';
import { startTransfer } from '../support/transfer-command.js';

let folder: string;
let client: mongo.MongoClient;
let uri: string;

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'database-transfer-'));
  uri = testDatabaseUri('transfer');
  client = await new mongo.MongoClient(uri).connect();
});

afterEach(async () => {
  await client.db().dropDatabase();
  await client.close();
  await rm(folder, { recursive: true, force: true });
});

const run = (which: 'export' | 'import', given: string[], more: { MONGODB_URI?: string; stdin?: Buffer } = {}) => {
  const { MONGODB_URI, stdin } = more;
  const mongod = { MONGOD_BINARY: process.env['TEST_MONGOD_BINARY'] ?? '' };
  const environment = MONGODB_URI === undefined ? mongod : { MONGODB_URI };
  return startTransfer(which, given, { environment, folder, ...(stdin && { stdin }) });
};

describe('moving from the embedded database to a real one', () => {
  jest.setTimeout(120_000);

  it('keeps every key, login and idem-key, after the server was stopped for it', async () => {
    const demo = await DemoServer.start(folder);
    const post = (server: RunningServer, route: string, idemKey: string) =>
      server
        .call('post', `${api}${route}`)
        .set('Authorization', `Bearer ${demo.key}`)
        .set('idem-key', idemKey)
        .send({ name: 'Zoë Lee' });
    const [team] = (await demo.list('/teams')).data;
    const [route, idemKey] = [`/teams/${team?._id ?? ''}/players`, randomUUID()];
    const first = await post(demo.server, route, idemKey).expect(201);
    const before = { ...(await demo.totals()), live: expect.any(Number) as number };

    const busy = await run('export', ['moved.gz']).outcome;
    expect(busy).toMatchObject({ code: 1, stderr: expect.stringMatching(/Stop that one first/) as string });
    expect(await readdir(folder)).toEqual(['.data']);
    expect(await demo.server.end()).toBe(0);

    const exported = await run('export', ['moved.gz']).outcome;
    expect(exported).toMatchObject({ code: 0, stderr: '' });
    expect(exported.stdout.toString()).toMatch(/^\d+ documents were exported: .*teams 4/);
    expect((await stat(path.join(folder, 'moved.gz'))).mode & 0o777).toBe(0o600);
    expect(processesNaming(folder)).toEqual([]);
    const again = await run('export', ['moved.gz']).outcome;
    expect(again).toMatchObject({ code: 1, stderr: 'There is a file moved.gz: nothing was exported\n' });

    const imported = await run('import', ['moved.gz'], { MONGODB_URI: uri }).outcome;
    expect(imported).toMatchObject({ code: 0, stderr: '' });
    expect(imported.stdout.toString()).toBe(exported.stdout.toString().replace('exported', 'imported'));

    const moved = await RunningServer.start({
      MONGODB_URI: uri,
      SUPER_ADMIN_EMAIL: demo.superAdmin.email,
      SUPER_ADMIN_PASSWORD: demo.superAdmin.password,
    });
    const replayed = await post(moved, route, idemKey);
    expect(replayed.status).toBe(201);
    expect(replayed.headers['idempotent-replayed']).toBe('true');
    expect(replayed.text).toBe(first.text);
    expect(await new MovedDemo(moved, demo).totals()).toEqual(before);
    const wrong = `${demo.key.slice(0, -1)}_`;
    expectInvalidKey(await moved.call('get', `${api}/teams`).set('Authorization', `Bearer ${wrong}`));
    expect(await moved.end()).toBe(0);

    const full = await run('import', ['moved.gz'], { MONGODB_URI: uri }).outcome;
    expect(full).toMatchObject({ code: 1, stderr: expect.stringMatching(/not empty: it holds apiKeys, /) as string });
  });
});

/** The demo's data, asked of another server. */
class MovedDemo {
  constructor(
    private readonly server: RunningServer,
    private readonly demo: DemoServer,
  ) {}

  totals(): Promise<Record<string, number>> {
    const { server, demo } = this;
    return DemoServer.prototype.totals.call(Object.create(demo, { server: { value: server } }) as DemoServer);
  }
}

describe('npm run db:export and db:import', () => {
  jest.setTimeout(60_000);

  /** So much that its import takes a while. */
  const fill = async (documents: number) => {
    const teams = Array.from({ length: documents }, (_, index) => ({ name: `Hawks ${index}`, logo: 'x'.repeat(200) }));
    await client.db().collection('teams').insertMany(teams);
  };

  it('work through a pipe', async () => {
    await fill(100);
    const before = await everythingIn(client.db());
    const exported = await run('export', ['-'], { MONGODB_URI: uri }).outcome;
    expect(exported.code).toBe(0);
    expect(gunzipSync(exported.stdout).toString()).toMatch(/^\{"format":"flag-football-database","version":1,/);
    await client.db().dropDatabase();

    const imported = await run('import', ['-'], { MONGODB_URI: uri, stdin: exported.stdout }).outcome;

    expect(imported).toMatchObject({ code: 0, stderr: '' });
    expect(await everythingIn(client.db())).toMatchObject(before);
    expect(await readdir(folder)).toEqual([]);
  });

  it('leave nothing that would be believed when the import is killed half way, and can be run again', async () => {
    await fill(40_000);
    expect((await run('export', ['all.gz'], { MONGODB_URI: uri }).outcome).code).toBe(0);
    await client.db().dropDatabase();
    const half = run('import', ['all.gz'], { MONGODB_URI: uri });
    await eventually(
      'half of it is there',
      async () => (await client.db().collection('teams').countDocuments()) > 0,
      30,
    );
    half.child.kill('SIGKILL');
    await half.outcome;
    expect(await client.db().collection('teams').countDocuments()).toBeLessThan(40_000);

    const server = await ServerProcess.spawn({ MONGODB_URI: uri });
    expect(await server.ended).toBe(1);
    expect(server.log).toContain('unfinished import: run npm run db:import again');
    const early = await run('import', ['all.gz'], { MONGODB_URI: uri }).outcome;
    if (early.code !== 0) {
      expect(early.stderr).toContain('broken off less than 10 s ago');
      await client
        .db()
        .collection('unfinishedImport')
        .updateOne({}, { $set: { beatAt: new Date(0) } });
      const again = await run('import', ['all.gz'], { MONGODB_URI: uri }).outcome;
      expect(again).toMatchObject({ code: 0, stderr: expect.stringContaining('removed first') as string });
    }
    expect(await client.db().collection('teams').countDocuments()).toBe(40_000);
    expect(await RunningServer.start({ MONGODB_URI: uri }).then((started) => started.end())).toBe(0);
  });

  it.each([
    ['export', [], /^Which file\?[^]*Usage: npm run db:export/],
    ['import', [], /^Which file\?[^]*Usage: npm run db:import/],
    ['import', ['a', 'b'], /^One file/],
    ['import', ['--leave-out', 'teams', 'a'], /--leave-out/],
    ['import', ['missing.gz'], /^missing\.gz cannot be read: ENOENT/],
    ['export', ['missing/all.gz'], /^missing\/all\.gz cannot be written: ENOENT/],
  ] as const)('db:%s %j says what is wrong, without a stack', async (which, given, why) => {
    const outcome = await run(which, [...given], { MONGODB_URI: uri }).outcome;
    expect(outcome.code).toBe(1);
    expect(outcome.stderr).toMatch(why);
    expect(outcome.stderr).not.toMatch(/^ +at /m);
  });

  it('refuse a damaged file, and leave the database empty', async () => {
    await fill(1_000);
    const exported = await run('export', ['all.gz'], { MONGODB_URI: uri }).outcome;
    expect(exported.code).toBe(0);
    await client.db().dropDatabase();
    const whole = await readFile(path.join(folder, 'all.gz'));
    await writeFile(path.join(folder, 'half.gz'), whole.subarray(0, whole.length / 2));

    const refused = await run('import', ['half.gz'], { MONGODB_URI: uri }).outcome;

    expect(refused).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^The file is damaged or not whole/) as string,
    });
    expect(await everythingIn(client.db())).toEqual({});
  });
});
