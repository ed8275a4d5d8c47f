/**
 * The parent of every process of a cluster. Kills them all, paused ones too, and removes the folder of the cluster when
 * its own parent process ends, even after `kill -9`, because the IPC channel closes then. It runs in a session of its
 * own, so that Ctrl-C in a terminal reaches only the parent, which stops everything gracefully.
 *
 * Argument: the folder to remove. Messages: see SupervisorClient in supervisor-client.js.
 */
import { spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { rm } from 'node:fs/promises';

const [folder] = process.argv.slice(2);
/** @type {Map<number, import('node:child_process').ChildProcess>} */
const running = new Map();
let ending = false;

/** Sends a message to the parent, unless it has exited. */
function send(message) {
  if (process.connected) process.send(message, () => undefined);
}

function start({ run, command, programArguments, cwd, env, logFile }) {
  if (ending) return;
  const log = openSync(logFile, 'a', 0o600);
  const child = spawn(command, programArguments, { cwd, env, stdio: ['ignore', log, log] });
  closeSync(log);
  running.set(run, child);
  child.on('spawn', () => send({ run, pid: child.pid }));
  child.on('error', (error) => onExit(run, { error: error.message }));
  child.on('exit', (code, signal) => onExit(run, { end: { code, signal } }));
}

function onExit(run, how) {
  running.delete(run);
  send({ run, ...how });
  if (ending && running.size === 0) void exit();
}

async function exit() {
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  process.exit();
}

function end() {
  if (ending) return;
  ending = true;
  for (const child of running.values()) child.kill('SIGKILL');
  if (running.size === 0) void exit();
}

process.on('message', start);
process.on('disconnect', end);
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(signal, end);
