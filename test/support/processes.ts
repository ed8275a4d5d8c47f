import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * The processes whose command line contains a text, such as the path of a test's own folder; zombies have none and do not count.
 * @returns process id and command line of each
 */
export function findProcesses(text: string): { pid: number; command: string }[] {
  return allProcesses().filter(({ pid, command }) => pid !== process.pid && command.includes(text));
}

/**
 * Waits until something holds.
 * @throws Error naming it if it does not within the time
 */
export async function eventually(
  what: string,
  holds: () => boolean | Promise<boolean>,
  withinSeconds = 10,
): Promise<void> {
  const deadline = Date.now() + withinSeconds * 1_000;
  while (!(await holds())) {
    if (Date.now() > deadline) throw new Error(`not within ${withinSeconds} s: ${what}`);
    await sleep(20);
  }
}

function allProcesses(): { pid: number; command: string }[] {
  // Slim images have no ps, other systems no /proc.
  if (!existsSync('/proc/self/cmdline')) {
    const lines = execFileSync('ps', ['-axo', 'pid=,command='], { encoding: 'utf8' }).trim().split('\n');
    return lines.map((line) => ({ pid: Number.parseInt(line), command: line }));
  }
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return pids.map((pid) => ({ pid: Number(pid), command: commandOf(pid) }));
}

function commandOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
  } catch {
    return ''; // it has ended meanwhile
  }
}
