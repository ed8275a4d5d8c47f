import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const program = path.join(import.meta.dirname, '..', 'dist', 'bundle', 'main.js');
const longestStart = 120_000;

/**
 * Starts the built server as a first run does, on an embedded database with demo data, without limits in the way.
 *
 * @param {string} folder where it keeps its database
 * @returns its address, its demo key, a super admin's token, and `stop`
 * @throws Error with what it said where it does not become ready
 */
export async function startServer(folder) {
  await mkdir(folder);
  const { PATH, HOME, MONGOD_BINARY } = process.env;
  const limits = { RATE_LIMIT_PER_MINUTE: '1000000000', AUTH_FAILURES_PER_MINUTE: '1000000000' };
  const env = { PATH, HOME, ...(MONGOD_BINARY && { MONGOD_BINARY }), ...limits, HOST: '127.0.0.1', PORT: '0' };
  const server = spawn(process.execPath, ['--enable-source-maps', program], { cwd: folder, env });
  const ended = once(server, 'close');
  let said = '';
  for (const stream of [server.stdout, server.stderr]) stream.on('data', (chunk) => (said += chunk));
  const stop = async () => {
    server.kill('SIGTERM');
    await ended;
  };
  try {
    // The last line of the welcome.
    const welcome = /^Address: (\S+)$[^]*^Demo API key: (\S+)$[^]*^Super admin: (\S+) \/ (\S+)$[^]*^curl /m;
    for (const late = Date.now() + longestStart; !welcome.test(said); await sleep(100)) {
      if (server.exitCode !== null || Date.now() > late) throw new Error(`The server does not start:\n${said}`);
    }
    const [, address, apiKey, email, password] = welcome.exec(said);
    const login = await ask(`${address}/auth/login`, undefined, { email, password });
    return { address, apiKey, token: login.accessToken, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/**
 * The records that the documents name in their examples, on this server: without them no route would ever succeed.
 *
 * @returns {Promise<Map<string, string>>} the ids by those that stand in the documents
 */
export async function recordsOf({ address, apiKey, token }) {
  const list = async (route) => (await ask(`${address}/v1/public-api${route}`, apiKey)).data;
  const [season] = await list('/seasons');
  const game = (await list('/schedules?eventType=game')).find(({ teamTwoId }) => teamTwoId !== undefined);
  const [player] = await list(`/teams/${game.teamId}/players`);
  const { organizationId } = game;
  // Of those who may be revoked or changed, none that the run itself needs.
  const key = await ask(`${address}/api-keys`, token, { name: 'To be revoked', organizationId });
  const someone = { name: 'Sam Ortiz', email: `${randomUUID()}@example.com`, password: 'correct horse battery' };
  const user = await ask(`${address}/organizations/${organizationId}/users`, token, someone);
  return new Map([
    ['6650f1f77bcf86cd79943901', user._id],
    ['6650f1f77bcf86cd79943911', organizationId],
    ['6650f1f77bcf86cd79943921', key.id],
    ['6650f1f77bcf86cd79943931', season._id],
    ['6650f1f77bcf86cd79943941', game.teamId],
    ['6650f1f77bcf86cd79943942', game.teamTwoId],
    ['6650f1f77bcf86cd79943951', player._id],
    ['6650f1f77bcf86cd79943961', game._id],
  ]);
}

/** The JSON of an answer; a body is sent by POST. */
export async function ask(url, credential, body) {
  const headers = { 'Content-Type': 'application/json', ...(credential && { Authorization: `Bearer ${credential}` }) };
  const answer = await fetch(url, (body && { method: 'POST', headers, body: JSON.stringify(body) }) || { headers });
  if (!answer.ok) throw new Error(`${url}: ${answer.status} ${await answer.text()}`);
  return answer.json();
}
