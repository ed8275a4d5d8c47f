import path from 'node:path';

const root = path.resolve(import.meta.dirname, '../..');

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
