import path from 'node:path';

/**
 * Returns the variables with which a server runs code of a test before its own, such as a fault that no request can cause.
 * @param modules the code of ES modules, run in this order
 */
export function preload(...modules: string[]): Record<string, string> {
  const imports = modules.map((code) => `--import data:text/javascript,${encodeURIComponent(code)}`);
  return { NODE_OPTIONS: imports.join(' ') };
}

/** The cheapest argon2 parameters. */
export const cheapest = { memoryCost: 8, timeCost: 1 };

/**
 * Hashes with the cheapest argon2 parameters, if the server asked for the real ones, with which each new organization costs
 * 110 ms of a core.
 */
export const cheapHashes = `
  import { createRequire } from 'node:module';
  const argon2 = createRequire(${JSON.stringify(path.resolve(__dirname, '../../package.json'))})('argon2');
  const { hash } = argon2;
  argon2.hash = (secret, options) => {
    const { memoryCost, timeCost } = options;
    if (memoryCost !== 19_456 || timeCost !== 2) throw new Error('Weak hash: ' + JSON.stringify(options));
    return hash(secret, { ...options, ...${JSON.stringify(cheapest)} });
  };
`;

/**
 * Measures the longest turn of the event loop between two signals SIGUSR2, and prints it: in processor time of the main
 * thread, which other processes do not affect.
 */
export const turnMeter = `
  let [isMeasuring, longest, last] = [false, 0, 0];
  const spent = () => {
    const { user, system } = process.threadCpuUsage();
    return (user + system) / 1_000;
  };
  const measure = () => {
    longest = Math.max(longest, -last + (last = spent()));
    if (isMeasuring) setImmediate(measure);
  };
  process.on('SIGUSR2', () => {
    isMeasuring = !isMeasuring;
    console.log(isMeasuring ? 'measuring turns' : 'longest turn: ' + longest + ' ms');
    [longest, last] = [0, spent()];
    if (isMeasuring) setImmediate(measure);
  });
`;

/** For tests of what argon2 costs. */
export const realHashes = { NODE_OPTIONS: '' };

/** The log lines with this level or message. */
export function logLines(log: string, what: { level?: string; msg?: string }): Record<string, unknown>[] {
  return log
    .split('\n')
    .filter((line) => line.startsWith('{') && line.endsWith('}'))
    .map((line) => JSON.parse(line) as Record<string, unknown>)
    .filter((line) => Object.entries(what).every(([name, value]) => line[name] === value));
}
