import { accessSync, constants, existsSync, statSync } from 'node:fs';
import path from 'node:path';

const root = path.resolve(import.meta.dirname, '../..');

/** How to install missing programs. */
const packages = {
  'redis-server': 'Debian and Ubuntu: apt-get install redis-server; macOS: brew install redis',
  caddy: 'Debian 12 and Ubuntu 24.04 or later: apt-get install caddy; macOS: brew install caddy',
};

/**
 * Finds programs on the PATH.
 * @param {(keyof typeof packages)[]} names
 * @returns {Record<string, string>} their paths by their names
 * @throws Error that says how to install each missing program
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
 * Finds or downloads mongod as for the embedded database. Requires `npm run build`.
 * @param {string} [file] path of a mongod
 * @returns {Promise<string>}
 * @throws Error that lists what was tried
 */
export async function mongodBinary(file = process.env.TEST_MONGOD_BINARY ?? process.env.MONGOD_BINARY) {
  if (!existsSync(path.join(root, 'dist/main.js'))) throw new Error('Run `npm run build` first.');
  const { locateMongod } = await import('../../dist/dev/embedded-mongod/locate-mongod.js');
  const progress = (line) => process.stderr.write(`${line}\n`);
  return (await locateMongod({ mongodBinary: file, progress })).systemBinary;
}

/**
 * Returns the program of a built server.
 * @param {string} cwd a folder without an `.env`
 * @param {Record<string, string>} environment
 */
export function serverProgram(cwd, environment) {
  const programArguments = ['--enable-source-maps', path.join(root, 'dist/main.js')];
  const defaults = { PATH: process.env.PATH ?? '', HOST: '127.0.0.1', LOG_LEVEL: 'info' };
  return { command: process.execPath, programArguments, cwd, env: { ...defaults, ...environment } };
}

/**
 * Returns the program of the proxy, with the Caddyfile of Docker Compose. Caddy writes only to the given folder.
 * @param {string} command path of Caddy
 * @param {string} cwd
 * @param {{ port: number, plainPort: number, lastResortPort: number, upstreams: string[], cells?: string }} options ports
 * for HTTPS, for HTTP, which redirects, and for the last resort, the servers as host:port, and the folder of the file that
 * has other cells
 */
export function proxyProgram(command, cwd, { port, plainPort, lastResortPort, upstreams, cells }) {
  const programArguments = ['run', '--adapter', 'caddyfile', '--config', path.join(root, 'deploy/caddy/Caddyfile')];
  const data = path.join(cwd, 'data');
  const env = {
    HOME: cwd,
    XDG_DATA_HOME: data,
    XDG_CONFIG_HOME: path.join(cwd, 'config'),
    SITE_ADDRESS: 'localhost, 127.0.0.1',
    HTTPS_PORT: String(port),
    HTTP_PORT: String(plainPort),
    LAST_RESORT_PORT: String(lastResortPort),
    BIND: '127.0.0.1',
    UPSTREAMS: upstreams.join(' '),
    ...(cells !== undefined && { CELLS: cells }),
  };
  const authority = path.join(data, 'caddy/pki/authorities/local/root.crt');
  return { command, programArguments, cwd, env, authority };
}
