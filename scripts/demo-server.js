import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const program = path.join(import.meta.dirname, '..', 'dist', 'main.js');
const longestStart = 120_000;

/**
 * Starts the built server with an embedded database, demo data and high limits.
 *
 * @param {string} folder folder of its database
 * @returns its URL, its demo key, the token of a super admin, and `stop`
 * @throws Error with its output if it does not become ready
 */
export async function startServer(folder) {
  await mkdir(folder);
  const { PATH, HOME, MONGOD_BINARY } = process.env;
  const limits = { RATE_LIMIT_PER_MINUTE: '1000000000', AUTH_FAILURES_PER_MINUTE: '1000000000' };
  const env = { PATH, HOME, ...(MONGOD_BINARY && { MONGOD_BINARY }), ...limits, HOST: '127.0.0.1', PORT: '0' };
  const server = spawn(process.execPath, ['--enable-source-maps', program], { cwd: folder, env });
  const ended = once(server, 'close');
  let output = '';
  for (const stream of [server.stdout, server.stderr]) stream.on('data', (chunk) => (output += chunk));
  const stop = async () => {
    server.kill('SIGTERM');
    await ended;
  };
  try {
    // Up to the last line of the welcome text.
    const welcome = /^URL: (\S+)$[^]*^Demo API key: (\S+)$[^]*^Super admin: (\S+) \/ (\S+)$[^]*^curl /m;
    for (const deadline = Date.now() + longestStart; !welcome.test(output); await sleep(100)) {
      if (server.exitCode !== null || Date.now() > deadline) throw new Error(`The server did not start:\n${output}`);
    }
    const [, url, apiKey, email, password] = welcome.exec(output);
    const login = await send(`${url}/auth/login`, undefined, { email, password });
    return { url, apiKey, token: login.accessToken, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Sends a request, POST with a body, and returns the JSON response. */
export async function send(url, credential, body) {
  const headers = { 'Content-Type': 'application/json', ...(credential && { Authorization: `Bearer ${credential}` }) };
  const response = await fetch(url, (body && { method: 'POST', headers, body: JSON.stringify(body) }) || { headers });
  if (!response.ok) throw new Error(`${url}: ${response.status} ${await response.text()}`);
  return response.json();
}
