import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtemp, open, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { startEmbeddedMongod } from '../../dist/dev/embedded-mongod/embedded-mongod.js';

const root = path.resolve(import.meta.dirname, '../..');
const { scripts } = JSON.parse(await readFile(path.join(root, 'package.json'), 'utf8'));
/** As `npm start` starts it: its variables, the options of node, and the program. */
const startWords = scripts.start.split(' ');
const startVariables = startWords.slice(0, startWords.indexOf('node')).map((word) => word.split('='));
const startArguments = startWords.slice(startWords.indexOf('node') + 1);
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

/**
 * The built server as in production. Its log goes into a file: a pipe that is read slowly would keep the lines in the server's
 * memory, and so be measured with it.
 */
export async function startServer(uri, environment = {}) {
  const folder = await mkdtemp(path.join(tmpdir(), 'bench-log-'));
  const logFile = path.join(folder, 'server.log');
  const log = await open(logFile, 'w');
  const child = spawn(process.execPath, startArguments, {
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
  /** Collects the garbage, and returns what is left, in megabytes. */
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
  return { url: new URL(url), memory, resident, pid: child.pid, stop };
}

/** The address that a server names in its log once it is ready. */
async function addressIn(logFile, child) {
  const deadline = Date.now() + 60_000;
  for (;;) {
    const log = await readFile(logFile, 'utf8');
    const ready = /"address":"([^"]+)"[^\n]*"msg":"Ready"/.exec(log);
    if (ready !== null) return ready[1];
    if (child.exitCode !== null || Date.now() > deadline) {
      child.kill('SIGKILL');
      throw new Error(`The server did not become ready:\n${log}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** A request to an admin route; the body of its answer. */
export async function admin(server, token, method, route, body) {
  const answer = await fetch(new URL(route, server.url), {
    method,
    headers: { 'Content-Type': 'application/json', ...(token && { Authorization: `Bearer ${token}` }) },
    body: JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(`${method} ${route}: ${answer.status} ${await answer.text()}`);
  return answer.json();
}

/** The token of the super admin's login. */
export async function logIn(server) {
  const { accessToken } = await admin(server, undefined, 'POST', '/auth/login', superAdmin);
  return accessToken;
}

/** An organization with a key, or more of them. */
export async function anOrganization(server, count = 1) {
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
