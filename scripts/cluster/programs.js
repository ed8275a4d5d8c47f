import { accessSync, constants, existsSync, statSync } from 'node:fs';
import path from 'node:path';

/** How a missing program comes onto the machine. */
const packages = {
  'redis-server': 'Debian and Ubuntu: apt-get install redis-server; macOS: brew install redis',
  caddy: 'Debian 12 and Ubuntu 24.04 or later: apt-get install caddy; macOS: brew install caddy',
};

/**
 * Finds programs on the PATH.
 * @param {(keyof typeof packages)[]} names
 * @returns {Record<string, string>} their paths by their names
 * @throws Error that says of each missing one how to install it
 */
export function programsOnPath(names) {
  const found = names.map((name) => [name, onPath(name)]);
  const missing = found.filter(([, file]) => file === undefined).map(([name]) => name);
  if (missing.length === 0) return Object.fromEntries(found);
  throw new Error(missing.map((name) => `There is no ${name} on the PATH. ${packages[name]}`).join('\n'));
}

function onPath(name) {
  const folders = (process.env.PATH ?? '').split(path.delimiter).filter((folder) => path.isAbsolute(folder));
  return folders.map((folder) => path.join(folder, name)).find((file) => isProgram(file));
}

function isProgram(file) {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}

/**
 * The mongod of this machine, found or fetched as the server's embedded database does; needs the built server.
 * @param {string} [given] the path of one
 * @returns {Promise<string>}
 * @throws Error that says what was tried
 */
export async function mongodBinary(given = process.env.TEST_MONGOD_BINARY ?? process.env.MONGOD_BINARY) {
  if (!existsSync(path.resolve(import.meta.dirname, '../../dist/bundle/main.js')))
    throw new Error('Run `npm run build` first.');
  const { locateMongod } = await import('../../dist/database/embedded/locate-mongod.js');
  return locateMongod({ mongodBinary: given, progress: (line) => process.stderr.write(`${line}\n`) });
}
