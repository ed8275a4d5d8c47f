import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { runInNewContext } from 'node:vm';
import { MongoClient } from 'mongodb';
import { callWithToken, createOrganizationAdmin, type TestAdmin } from '../support/admins.js';
import { isKeyAccepted, type Key, revokeKey, rotateKey } from '../support/api-keys.js';
import { expectError } from '../support/expectations.js';
import { callFeed, FeedMirror, readFeed } from '../support/feed.js';
import { createFullOrganization, type FullOrganization, knownExternalId } from '../support/full-organization.js';
import { MongodProcess } from '../support/mongod-process.js';
import { api, createKey, type TestOrganization } from '../support/organization.js';
import { enrol } from '../support/second-factor.js';
import { RunningServer } from '../support/server.js';

const root = path.resolve(__dirname, '../..');
const textOf = (file: string) => readFileSync(path.join(root, file), 'utf8');

/** Returns the documented command that contains a text. */
function documentedCommand(text: string): string {
  const found = [...textOf('docs/operators/back-up.md').matchAll(/^ *```bash\n([^]*?)^ *```$/gm)].find(
    ([, command = '']) => command.includes(text),
  );
  if (found?.[1] === undefined) throw new Error(`docs/operators/back-up.md has no command with ${text}`);
  return found[1];
}

/** Returns the responses of all public reads of an organization, except the feed, the delivery log and what shows the time, by path. */
async function readAll(full: FullOrganization, organization: TestOrganization): Promise<Record<string, unknown>> {
  const { season, team, player, schedule, endpoint } = full;
  const ids: Readonly<Record<string, string>> = {
    seasonId: season._id,
    teamId: team._id,
    playerId: player._id,
    scheduleId: schedule._id,
    externalId: knownExternalId,
    id: endpoint._id,
  };
  const { paths } = JSON.parse(textOf('openapi/public.json')) as { paths: Record<string, { get?: object }> };
  const reads = Object.keys(paths).filter((each) => paths[each]?.get !== undefined);
  const responses: Record<string, unknown> = {};
  for (const each of reads.filter((one) => !/\/(changes|deliveries|calendars|me)\b/.test(one))) {
    const actual = each.slice(api.length).replace(/\{(\w+)\}/g, (_, name: string) => ids[name] ?? name);
    const category = /seasons\/.*\/player-statistics$/.test(each) ? { category: 'qb' } : {};
    const response = await organization.call('get', actual).query(category);
    expect([actual, response.status]).toEqual([actual, 200]);
    responses[actual] = response.body;
  }
  return responses;
}

async function createPasswordLink(server: RunningServer, userId: string): Promise<string> {
  const created = await server.asSuperAdmin('post', `/users/${userId}/password-reset`).expect(201);
  return (created.body as { data: { token: string } }).data.token;
}

const usePasswordLink = (server: RunningServer, token: string) =>
  server.call('post', '/auth/password-reset').send({ token, newPassword: 'another password for tests' });

/**
 * The drill of docs/operators/back-up.md, with a copy of the files of a locked member instead of mongodump, and the driver
 * instead of mongosh.
 */
it('after a restore, the API works as before, readers of the feed start again, and revoked keys stay revoked', async () => {
  const mongod = await MongodProcess.start();
  const client = new MongoClient(mongod.uri);
  const folder = await mkdtemp(path.join(tmpdir(), 'backup-drill-'));
  // An attempt of a webhook would change what its endpoint returns.
  const variables = { MONGODB_URI: mongod.uri, WEBHOOK_WORKER: 'off' };
  const start = (secret: string) => RunningServer.start({ ...variables, JWT_SECRET: secret.repeat(32) });
  let server = await start('a');
  const run = (command: string, more = {}) => {
    const ADMIN = `${process.execPath} ${path.join(root, 'dist/cli/admin.js')}`;
    const own = { API: server.url, TOKEN: server.superAdminToken, MONGODB_URI: mongod.uri, ADMIN };
    const env = { ...process.env, ...own, ...more };
    return promisify(execFile)('bash', ['-euo', 'pipefail', '-c', command], { cwd: folder, env });
  };
  try {
    const full = await createFullOrganization(server, 'Drill');
    let { organization } = full;
    const [revoked, rotated] = [await createKey(server, organization.id), await createKey(server, organization.id)];
    const idempotent = (name: string, key: string) =>
      organization.call('post', `/teams/${full.team._id}/players`).set('idem-key', key).send({ name });
    const idemKey = randomUUID();
    const created = (await idempotent('Sam Stone', idemKey).expect(201)).body as { _id: string };
    const before = await readAll(full, organization);
    const link = await createPasswordLink(server, organization.creator._id);
    const [enrolled, careless, changed] = [
      await createOrganizationAdmin(organization),
      await createOrganizationAdmin(organization),
      await createOrganizationAdmin(organization),
    ];
    const enrolAdmin = async ({ email, password }: TestAdmin) =>
      enrol(server, await server.login(email, password), password);
    const { recoveryCodes } = await enrolAdmin(enrolled);
    const removed = await enrolAdmin(careless);
    const login = ({ email, password }: TestAdmin, code?: string) =>
      server.call('post', '/auth/login').send({ email, password, ...(code !== undefined && { code }) });

    const admin = client.db('admin');
    await admin.command({ fsync: 1, lock: true });
    await cp(mongod.folder, path.join(folder, 'copy'), { recursive: true });
    const backupTime = new Date().toISOString();
    await admin.command({ fsyncUnlock: 1 });

    await usePasswordLink(server, link).expect(200);
    const lost = await organization.team({ name: 'Created after the backup' });
    const [recoveryCode] = recoveryCodes;
    await login(enrolled, recoveryCode).expect(200);
    const { password: currentPassword } = changed;
    const newPassword = { currentPassword, newPassword: 'a password after the backup' };
    const token = await server.login(changed.email, currentPassword);
    await callWithToken(server, token, 'post', '/auth/password').send(newPassword).expect(200);
    const proof = { password: careless.password, code: removed.recoveryCodes[0] };
    await callWithToken(server, removed.accessToken, 'delete', '/auth/second-factor').send(proof).expect(200);
    const newName = { name: 'Changed after the backup' };
    await organization.call('patch', `/teams/${full.team._id}`).send(newName).expect(200);
    await revokeKey(server, revoked.id).expect(200);
    const { apiKey: successor }: Key = await rotateKey(server, rotated.id);
    const late = await createKey(server, organization.id);
    await revokeKey(server, late.id).expect(200);
    const { nextCursor: cursor } = await readFeed(organization);

    await run(documentedCommand('> keys.txt'), { BACKUP_TIME: backupTime });
    await server.end();
    await mongod.stop();
    await rm(mongod.folder, { recursive: true });
    await cp(path.join(folder, 'copy'), mongod.folder, { recursive: true });
    await mongod.start();
    const [, statements = ''] = /--eval '(.*)'/.exec(documentedCommand('changes.deleteMany')) ?? [];
    const db = new Proxy({}, { get: (_, name) => client.db().collection(String(name)) });
    for (const statement of statements.split('; ')) await runInNewContext(statement, { db });
    await run(documentedCommand('< passwords.txt'));
    const oldToken = server.superAdminToken;
    server = await start('b');
    organization = organization.over(server);
    const { stdout } = await run(documentedCommand('< keys.txt'));

    expect(stdout.trim().split('\n').sort()).toEqual(
      [`${revoked.id} 200`, `${rotated.id} 200`, `${late.id} 404`].sort(),
    );
    for (const key of [revoked.apiKey, rotated.apiKey, successor, late.apiKey])
      expect(await isKeyAccepted(organization, key)).toBe(false);
    expectError(await usePasswordLink(server, link), 40104);
    expectError(await login(changed), 40102);
    expectError(await login(enrolled, recoveryCode), 40103);
    await login(careless).expect(200);
    expectError(await server.call('get', '/auth/me').set('Authorization', `Bearer ${oldToken}`), 40102);
    expect(await readAll(full, organization)).toEqual(before);
    expectError(await organization.call('get', `/teams/${lost._id}`), 40301);
    expect((await idempotent('Sam Stone', idemKey).expect(201)).body).toEqual(created);
    await organization.call('patch', `/teams/${full.team._id}`).send(newName).expect(200);
    expectError(await callFeed(organization, { cursor }), 41001);
    await new FeedMirror(organization).followUntilEqual(client.db());
  } finally {
    await client.close();
    await server.end();
    await mongod.remove();
    await rm(folder, { recursive: true, force: true });
  }
});
