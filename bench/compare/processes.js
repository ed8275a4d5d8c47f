import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';

/** Clock ticks per second of Linux. */
const ticksPerSecond = 100;

/** Returns the CPU seconds of a process, user and system. */
export async function processorSeconds(pid) {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
  // The program name, in parentheses, can contain spaces.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond;
}

/** Returns the resident memory of a process in megabytes. */
export async function residentMegabytes(pid) {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+)/.exec(status)[1]) / 1024;
}

/** Starts a program of bench/peers, which ends with this process: `{pid, stop}`. */
export function startProgram(file, environment) {
  const child = spawn(process.execPath, [file], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    env: { PATH: process.env.PATH, NODE_ENV: 'production', ...environment },
  });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  const stop = async () => {
    child.kill();
    await ended;
  };
  return { pid: child.pid, stop };
}

/** Waits until an address responds with a status below 500; returns the milliseconds since `begun`. */
export async function answering(url, begun) {
  for (;;) {
    const response = await fetch(url).catch(() => undefined);
    await response?.arrayBuffer();
    if (response?.status < 500) return performance.now() - begun;
    if (performance.now() - begun > 60_000) throw new Error(`${url} did not become ready`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
