import { execFile } from 'node:child_process';
import path from 'node:path';
import { MongoClient } from 'mongodb';
import { runAdmin } from '../support/admin-command.js';
import { RunningServer } from '../support/server.js';
import { compileCache, ServerProcess } from '../support/server-process.js';
import { testDatabaseUri } from '../support/test-database.js';

const program = path.resolve(__dirname, '../../dist/cli/ensure-indexes.js');

describe('the creation of indexes', () => {
  let uri: string;
  let client: MongoClient;
  beforeEach(async () => {
    uri = testDatabaseUri();
    client = await new MongoClient(uri).connect();
  });

  afterEach(async () => {
    await client.db().dropDatabase();
    await client.close();
  });

  /** Returns the existing indexes, except for those of `_id`. */
  const existingIndexes = async (): Promise<string[]> => {
    const collections = await client.db().listCollections().toArray();
    const indexes = await Promise.all(
      collections.map(async ({ name }) =>
        (await client.db().collection(name).indexes()).map((index) => `${name}.${index.name ?? ''}`),
      ),
    );
    return indexes
      .flat()
      .filter((name) => !name.endsWith('._id_'))
      .sort();
  };

  const duplicates = () =>
    client
      .db()
      .collection('users')
      .insertMany([{ email: 'dana@example.com' }, { email: 'dana@example.com' }]);

  it('stops the server and names the unique index and the value if it fails', async () => {
    await duplicates();
    const starting = RunningServer.start({ MONGODB_URI: uri });
    await expect(starting).rejects.toThrow(/The server ended with 1[^]*one_user_per_email[^]*dana@example\.com/);
  });

  const start = async (environment: Record<string, string>) => {
    const server = await ServerProcess.spawn({ MONGODB_URI: uri, ...environment });
    await server.waitForLog(/"msg":"Ready"/);
    await server.remove();
  };
  const retentionDays = async (collection = 'players', index = 'deleted_players') => {
    const indexes = await client.db().collection(collection).indexes();
    return (indexes.find(({ name }) => name === index)?.expireAfterSeconds ?? 0) / (24 * 60 * 60);
  };

  it('happens with npm run db:indexes, also if all indexes exist, and at startup except with DB_ENSURE_INDEXES=false, and changes how long deleted players and audit events are kept, except with npm run admin', async () => {
    const auditDays = () => retentionDays('auditEvents', 'expiring_events');
    await start({ DB_ENSURE_INDEXES: 'false' });
    expect(await existingIndexes()).toEqual([]);
    const created = await ensureIndexes(uri);
    expect(created).toMatchObject({ code: 0 });
    expect(created.output).toContain('All indexes exist, and all migrations are complete');
    const complete = await existingIndexes();
    expect(complete.length).toBeGreaterThan(10);
    expect(await retentionDays()).toBe(30);
    // Longer than anybody lives.
    expect(await auditDays()).toBeGreaterThan(24_000);
    const changed = { DELETED_PLAYER_RETENTION_DAYS: '7', DB_ENSURE_INDEXES: 'false' };
    const { code, output } = await ensureIndexes(uri, changed);
    expect({ code, output }).toMatchObject({ code: 0 });
    expect(output).toContain('The index deleted_players expires records after 604800 s');
    expect([await existingIndexes(), await retentionDays()]).toEqual([complete, 7]);

    const collections = await client.db().collections();
    const others = collections.filter(({ collectionName: name }) => !['players', 'auditEvents'].includes(name));
    for (const collection of others) await collection.dropIndexes();
    await start({ DELETED_PLAYER_RETENTION_DAYS: '3650', AUDIT_RETENTION_DAYS: '365' });
    expect(await existingIndexes()).toEqual(complete);
    expect([await retentionDays(), await auditDays()]).toEqual([3650, 365]);
    const disable = await runAdmin(['disable-user', '--email', 'nobody@example.com'], {
      environment: { MONGODB_URI: uri },
    });
    expect([disable.code, await retentionDays(), await auditDays()]).toEqual([1, 3650, 365]);
  });

  it('fails if an existing index differs in more than its expiry', async () => {
    const index = { key: { email: 1 }, name: 'one_user_per_email' } as const;
    await client.db().collection('users').createIndexes([index]);
    const { code, output } = await ensureIndexes(uri);
    expect(code).toBe(1);
    expect(output).toMatch(new RegExp(`The indexes of users cannot be created[^]*${index.name}`));
  });
});

function ensureIndexes(
  uri: string,
  environment: Record<string, string> = {},
): Promise<{ code: number; output: string }> {
  const env = { PATH: process.env['PATH'], MONGODB_URI: uri, ...compileCache, ...environment };
  return new Promise((resolve) => {
    execFile(process.execPath, [program], { env, cwd: path.dirname(program) }, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code), output: stdout + stderr });
    });
  });
}
