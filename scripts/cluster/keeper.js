/**
 * The keeper: the parent of every process of a cluster. It ends them all, hanging ones too, and removes the cluster's folder as
 * soon as the channel to whoever started it closes, which happens however that dies, `kill -9` included. It runs in a session of
 * its own, so that Ctrl-C in a terminal reaches the starter alone, which then stops everything in order.
 *
 * Argument: the folder to remove. Messages: see KeeperClient in keeper-client.js.
 */
import { spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { rm } from 'node:fs/promises';

const [folder] = process.argv.slice(2);
/** @type {Map<number, import('node:child_process').ChildProcess>} */
const running = new Map();
let ending = false;

/** The starter may be gone already: then nobody reads the word. */
function tell(message) {
  if (process.connected) process.send(message, () => undefined);
}

function start({ run, command, programArguments, cwd, env, logFile }) {
  if (ending) return;
  const log = openSync(logFile, 'a', 0o600);
  const child = spawn(command, programArguments, { cwd, env, stdio: ['ignore', log, log] });
  closeSync(log);
  running.set(run, child);
  child.on('spawn', () => tell({ run, pid: child.pid }));
  child.on('error', (error) => over(run, { error: error.message }));
  child.on('exit', (code, signal) => over(run, { end: { code, signal } }));
}

function over(run, how) {
  running.delete(run);
  tell({ run, ...how });
  if (ending && running.size === 0) void leave();
}

async function leave() {
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  process.exit();
}

function end() {
  if (ending) return;
  ending = true;
  for (const child of running.values()) child.kill('SIGKILL');
  if (running.size === 0) void leave();
}

process.on('message', start);
process.on('disconnect', end);
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(signal, end);
