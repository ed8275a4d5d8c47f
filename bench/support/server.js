import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtemp, open, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { startEmbeddedMongod } from '../../dist/database/embedded/embedded-mongod.js';

const program = path.resolve(import.meta.dirname, '../../dist/main.js');
const superAdmin = { email: 'bench@example.com', password: randomBytes(12).toString('base64url') };

/** A real mongod of the bench's own, a replica set of one, in a folder that goes with it. */
export async function startDatabase() {
  const folder = await mkdtemp(path.join(tmpdir(), 'bench-'));
  const mongod = await startEmbeddedMongod({ dataFolder: folder, progress: () => undefined });
  const stop = async () => {
    await mongod.stop();
    await rm(folder, { recursive: true, force: true });
  };
  return { uri: mongod.uri, stop };
}

/** The built server as in production; its log goes into a file, so that nobody's reading of it costs a core. */
export async function startServer(uri, environment = {}, nodeOptions = []) {
  const folder = await mkdtemp(path.join(tmpdir(), 'bench-log-'));
  const logFile = path.join(folder, 'server.log');
  const log = await open(logFile, 'a');
  const child = spawn(process.execPath, [...nodeOptions, program], {
    stdio: ['ignore', log.fd, 'pipe'],
    env: {
      PATH: process.env.PATH,
      NODE_ENV: 'production',
      PORT: '0',
      HOST: '127.0.0.1',
      MONGODB_URI: uri,
      JWT_SECRET: randomBytes(32).toString('hex'),
      SUPER_ADMIN_EMAIL: superAdmin.email,
      SUPER_ADMIN_PASSWORD: superAdmin.password,
      RATE_LIMIT_PER_MINUTE: '1000000000',
      NODE_OPTIONS: `--expose-gc --require ${path.resolve(import.meta.dirname, 'collect.cjs')}`,
      ...environment,
    },
  });
  await log.close();
  const ended = new Promise((resolve) => child.once('exit', resolve));
  let url;
  while (url === undefined) {
    await new Promise((resolve) => setTimeout(resolve, 50));
    const written = await readFile(logFile, 'utf8');
    url = /"address":"([^"]+)"[^\n]*"msg":"Ready"/.exec(written)?.[1];
    if (url === undefined && child.exitCode !== null) throw new Error(`The server ended:\n${written}`);
  }
  const stop = async () => {
    child.kill('SIGTERM');
    await ended;
    await rm(folder, { recursive: true, force: true });
  };
  /** What is left in memory once the garbage is collected, in megabytes. */
  const memory = () =>
    new Promise((resolve) => {
      child.stderr.once('data', (text) => {
        const { heapUsed, rss } = JSON.parse(/memory (.*)/.exec(text)[1]);
        resolve({ heap: heapUsed / 2 ** 20, resident: rss / 2 ** 20 });
      });
      child.kill('SIGUSR2');
    });
  /** What the operating system says of it at this moment, in megabytes. */
  const resident = async () =>
    Number(/VmRSS:\s+(\d+)/.exec(await readFile(`/proc/${child.pid}/status`, 'utf8'))?.[1]) / 1024;
  return { url: new URL(url), memory, resident, logFile, pid: child.pid, stop };
}

/** A request to an admin route; the body of its answer. */
async function admin(server, token, method, route, body) {
  const answer = await fetch(new URL(route, server.url), {
    method,
    headers: { 'Content-Type': 'application/json', ...(token && { Authorization: `Bearer ${token}` }) },
    body: JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(`${method} ${route}: ${answer.status} ${await answer.text()}`);
  return answer.json();
}

/** An organization with a key, or more of them. */
export async function anOrganization(server, count = 1) {
  const { accessToken } = await admin(server, undefined, 'POST', '/auth/login', superAdmin);
  const creator = {
    name: 'Bench',
    email: `${randomBytes(6).toString('hex')}@example.com`,
    password: 'a long password',
  };
  const organization = await admin(server, accessToken, 'POST', '/organizations', { name: 'Bench', creator });
  const keys = [];
  for (let made = 0; made < count; made++) {
    const wanted = { name: 'Bench', organizationId: organization._id };
    keys.push(await admin(server, accessToken, 'POST', '/api-keys', wanted));
  }
  const [{ apiKey, keyPrefix }] = keys;
  return { id: organization._id, apiKey, keyPrefix, apiKeys: keys.map((key) => key.apiKey) };
}
