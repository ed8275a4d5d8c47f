import { spawn } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { freePort } from './free-port.js';

/** True where a redis-server is on the PATH. */
export function hasRedis() {
  return (process.env.PATH ?? '').split(path.delimiter).some((folder) => {
    try {
      accessSync(path.join(folder, 'redis-server'), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

/** A Redis of the bench's own, on 127.0.0.1, that keeps nothing. */
export async function startRedis() {
  const folder = await mkdtemp(path.join(tmpdir(), 'bench-redis-'));
  const port = await freePort();
  const place = ['--bind', '127.0.0.1', '--port', String(port), '--dir', folder];
  const child = spawn('redis-server', [...place, '--save', '', '--appendonly', 'no'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await new Promise((resolve, reject) => {
    child.stdout.on('data', (text) => String(text).includes('Ready to accept connections') && resolve());
    child.once('error', reject);
    child.once('exit', () => reject(new Error('redis-server ended')));
  });
  const stop = async () => {
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGKILL');
    await ended;
    await rm(folder, { recursive: true, force: true });
  };
  return {
    url: `redis://127.0.0.1:${port}`,
    hang: () => child.kill('SIGSTOP'),
    goOn: () => child.kill('SIGCONT'),
    stop,
  };
}
