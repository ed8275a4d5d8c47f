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
 * Hashes with the cheapest argon2 parameters. With the real ones, which test/system/no-secrets.spec.ts checks, each new
 * organization costs 110 ms of a core.
 */
export const cheapHashes = `
  import { createRequire } from 'node:module';
  const argon2 = createRequire(${JSON.stringify(path.resolve(__dirname, '../../package.json'))})('argon2');
  const { hash } = argon2;
  argon2.hash = (secret, options) => hash(secret, { ...options, ...${JSON.stringify(cheapest)} });
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
