import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';

/** How often in a second Linux counts the time of a process. */
const ticksPerSecond = 100;

/** Seconds of processor that a process has used until now, of its own and for the kernel. */
export async function processorSeconds(pid) {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
  // The name of the program, in brackets, may hold spaces.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond;
}

/** Resident memory of a process at this moment, in megabytes. */
export async function residentMegabytes(pid) {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+)/.exec(status)[1]) / 1024;
}

/** A program of the peers' folder, which ends with this process at the latest: `{pid, stop}`. */
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

/** Waits until an address answers, with another status than one of 500 and above; milliseconds since `begun`. */
export async function answering(url, begun) {
  for (;;) {
    const answer = await fetch(url).catch(() => undefined);
    await answer?.arrayBuffer();
    if (answer?.status < 500) return performance.now() - begun;
    if (performance.now() - begun > 60_000) throw new Error(`${url} did not become ready`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
