/**
 * The keeper: a small process of its own between the server and mongod. It ends mongod as soon as its stdin closes, which happens
 * however the server dies, `kill -9` included. It runs in its own process group, so that Ctrl-C in a terminal reaches the server
 * alone, which then stops mongod in order.
 *
 * Arguments: the path of the stopping mark, the path of mongod, mongod's own arguments. What mongod writes goes to our stderr, which
 * is its log. Reports, one line of JSON each, go to stdout: see KeeperReport in keeper-process.ts.
 */
import { spawn } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';

const KILL_AFTER_MS = 10_000;

const [stoppingMark, mongodBinary, ...mongodArguments] = process.argv.slice(2);
if (stoppingMark === undefined || mongodBinary === undefined)
  throw new Error('usage: keeper <stopping mark> <mongod> …');

const mongod = spawn(mongodBinary, mongodArguments, { stdio: ['ignore', 2, 2] });

let stopping = false;
const stop = (): void => {
  if (stopping) return;
  stopping = true;
  mark((file) => writeFileSync(file, ''));
  mongod.kill('SIGTERM');
  setTimeout(() => mongod.kill('SIGKILL'), KILL_AFTER_MS);
};

/** The mark only makes the next start more patient: a full disk must not keep mongod from being stopped. */
function mark(change: (file: string) => void): void {
  try {
    change(stoppingMark ?? '');
  } catch {
    // nothing to be done about it
  }
}

function report(line: object, then?: () => void): void {
  process.stdout.write(`${JSON.stringify(line)}\n`, then);
}

function end(line: object): void {
  if (stopping) mark((file) => rmSync(file, { force: true }));
  report(line, () => process.exit());
}

process.stdout.on('error', () => undefined); // the server is gone and reads no more reports
process.stdin.on('end', stop).on('close', stop).on('error', stop).resume();
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, stop);

mongod.on('spawn', () => report({ pid: mongod.pid }));
mongod.on('error', (error) => end({ error: error.message }));
mongod.on('exit', (code, signal) => end({ code, signal }));
