import { accessSync, constants, existsSync, statSync } from 'node:fs';
import path from 'node:path';

const root = path.resolve(import.meta.dirname, '../..');

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
  if (!existsSync(path.join(root, 'dist/bundle/main.js'))) throw new Error('Run `npm run build` first.');
  const { locateMongod } = await import('../../dist/dev/embedded-mongod/locate-mongod.js');
  return locateMongod({ mongodBinary: given, progress: (line) => process.stderr.write(`${line}\n`) });
}

/**
 * The built server.
 * @param {string} cwd a folder of its own, so that no `.env` is read
 * @param {Record<string, string>} environment
 */
export function serverProgram(cwd, environment) {
  const programArguments = ['--enable-source-maps', path.join(root, 'dist/bundle/main.js')];
  const always = { PATH: process.env.PATH ?? '', HOST: '127.0.0.1', LOG_LEVEL: 'info' };
  return { command: process.execPath, programArguments, cwd, env: { ...always, ...environment } };
}

/**
 * The front, with the Caddyfile that Docker compose uses, too. Everything that Caddy writes stays in its folder.
 * @param {string} command where Caddy is
 * @param {string} cwd
 * @param {{ port: number, plainPort: number, upstreams: string[] }} where it listens for HTTPS and, to send callers there, for HTTP;
 * and the servers behind it, as host:port
 */
export function frontProgram(command, cwd, { port, plainPort, upstreams }) {
  const programArguments = ['run', '--adapter', 'caddyfile', '--config', path.join(root, 'deploy/caddy/Caddyfile')];
  const data = path.join(cwd, 'data');
  const env = {
    HOME: cwd,
    XDG_DATA_HOME: data,
    XDG_CONFIG_HOME: path.join(cwd, 'config'),
    SITE_ADDRESS: 'localhost, 127.0.0.1',
    HTTPS_PORT: String(port),
    HTTP_PORT: String(plainPort),
    BIND: '127.0.0.1',
    UPSTREAMS: upstreams.join(' '),
  };
  const authority = path.join(data, 'caddy/pki/authorities/local/root.crt');
  return { command, programArguments, cwd, env, authority };
}
