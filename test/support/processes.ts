import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Finds processes whose command line contains a text, such as a test's folder; zombies have none and are not found.
 * @returns ID and command line of each
 */
export function findProcesses(text: string): { pid: number; command: string }[] {
  return allProcesses().filter(({ pid, command }) => pid !== process.pid && command.includes(text));
}

/**
 * Waits for a condition. Checks it every 20 ms at first and less often the longer it takes, because checks take processor
 * time from what they wait for.
 * @throws Error naming it after the timeout
 */
export async function eventually(
  what: string,
  holds: () => boolean | Promise<boolean>,
  withinSeconds = 10,
): Promise<void> {
  const startedAt = Date.now();
  while (!(await holds())) {
    const elapsed = Date.now() - startedAt;
    if (elapsed > withinSeconds * 1_000) throw new Error(`not within ${withinSeconds} s: ${what}`);
    await sleep(20 + Math.min(elapsed / 20, 500));
  }
}

/** Waits until an assertion passes, and throws its error after the timeout. */
export async function eventuallyPasses(assertion: () => void | Promise<void>, withinSeconds = 10): Promise<void> {
  let failure: unknown;
  const passes = async () => {
    try {
      await assertion();
      return true;
    } catch (error) {
      failure = error;
      return false;
    }
  };
  await eventually('the assertion passes', passes, withinSeconds).catch(() => {
    throw failure;
  });
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
    return ''; // it has already ended
  }
}
