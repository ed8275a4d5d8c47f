import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtemp, open, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { startEmbeddedMongod } from '../../dist/dev/embedded-mongod/embedded-mongod.js';

const root = path.resolve(import.meta.dirname, '../..');
const { scripts } = JSON.parse(await readFile(path.join(root, 'package.json'), 'utf8'));
/** The command of `npm start`: variables, Node options and program. */
const startWords = scripts.start.split(' ');
const startVariables = startWords.slice(0, startWords.indexOf('node')).map((word) => word.split('='));
const startArguments = startWords.slice(startWords.indexOf('node') + 1);
export const superAdmin = { email: 'bench@example.com', password: randomBytes(12).toString('base64url') };

/** Starts a mongod, a replica set of one member, in a temporary folder. */
export async function startDatabase() {
  const folder = await mkdtemp(path.join(tmpdir(), 'bench-'));
  const mongod = await startEmbeddedMongod({ dataFolder: folder, progress: () => undefined });
  const stop = async () => {
    await mongod.stop();
    await rm(folder, { recursive: true, force: true });
  };
  return { uri: mongod.uri, stop };
}

/**
 * Starts the built server as in production. It logs to a file, because a pipe that is read slowly would keep lines in
 * the server's memory.
 */
export async function startServer(uri, environment = {}, argumentsOfNode = startArguments) {
  const folder = await mkdtemp(path.join(tmpdir(), 'bench-log-'));
  const logFile = path.join(folder, 'server.log');
  const log = await open(logFile, 'w');
  const child = spawn(process.execPath, argumentsOfNode, {
    cwd: root,
    stdio: ['ignore', log.fd, 'pipe'],
    env: {
      ...Object.fromEntries(startVariables),
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
  const stop = async () => {
    child.kill('SIGTERM');
    const code = await ended;
    await rm(folder, { recursive: true, force: true });
    return code;
  };
  const url = await addressIn(logFile, child);
  /** Collects garbage and returns the used memory in megabytes. */
  const memory = () =>
    new Promise((resolve) => {
      child.stderr.once('data', (text) => {
        const { heapUsed, rss } = JSON.parse(/memory (.*)/.exec(text)[1]);
        resolve({ heap: heapUsed / 2 ** 20, resident: rss / 2 ** 20 });
      });
      child.kill('SIGUSR2');
    });
  /** Returns the resident memory in megabytes. */
  const resident = async () =>
    Number(/VmRSS:\s+(\d+)/.exec(await readFile(`/proc/${child.pid}/status`, 'utf8'))?.[1]) / 1024;
  return { url: new URL(url), memory, resident, pid: child.pid, stop };
}

/** Returns the address from the log of a ready server. */
async function addressIn(logFile, child) {
  const deadline = Date.now() + 60_000;
  for (;;) {
    const log = await readFile(logFile, 'utf8');
    const ready = /"url":"([^"]+)"[^\n]*"msg":"Ready"/.exec(log);
    if (ready !== null) return ready[1];
    if (child.exitCode !== null || Date.now() > deadline) {
      child.kill('SIGKILL');
      throw new Error(`The server did not become ready:\n${log}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** Sends a request to an admin route and returns the response body. */
export async function admin(server, token, method, route, body) {
  const response = await fetch(new URL(route, server.url), {
    method,
    headers: { 'Content-Type': 'application/json', ...(token && { Authorization: `Bearer ${token}` }) },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${method} ${route}: ${response.status} ${await response.text()}`);
  return response.json();
}

/** Logs in the super admin and returns the token. */
export async function logIn(server) {
  const { accessToken } = await admin(server, undefined, 'POST', '/auth/login', superAdmin);
  return accessToken;
}

/** Creates an organization with one or more keys. */
export async function createOrganization(server, count = 1) {
  const accessToken = await logIn(server);
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
  return { id: organization._id, apiKey: keys[0].apiKey, apiKeys: keys.map((key) => key.apiKey) };
}
