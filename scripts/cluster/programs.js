import { accessSync, constants } from 'node:fs';
import path from 'node:path';

/** How a missing program comes onto the machine. */
const packages = {
  'redis-server': 'Debian and Ubuntu: apt-get install redis-server; macOS: brew install redis',
  caddy: 'Debian 12 and Ubuntu 24.04 or later: apt-get install caddy; macOS: brew install caddy',
};

/**
 * Finds a program on the PATH.
 * @param {keyof typeof packages} name
 * @returns {string} its path
 * @throws Error that says how to install it
 */
export function programOnPath(name) {
  for (const folder of (process.env.PATH ?? '').split(path.delimiter).filter(path.isAbsolute)) {
    const file = path.join(folder, name);
    try {
      accessSync(file, constants.X_OK);
      return file;
    } catch {
      // Not in this folder.
    }
  }
  throw new Error(`There is no ${name} on the PATH. ${packages[name]}`);
}

/**
 * The mongod of this machine, found or fetched as the server's embedded database does; needs the built server.
 * @param {string} [given] the path of one
 * @returns {Promise<string>}
 * @throws Error that says what was tried
 */
export async function mongodBinary(given = process.env.TEST_MONGOD_BINARY ?? process.env.MONGOD_BINARY) {
  const { locateMongod } = await import('../../dist/database/embedded/locate-mongod.js');
  return locateMongod({ mongodBinary: given, progress: (line) => process.stderr.write(`${line}\n`) });
}
