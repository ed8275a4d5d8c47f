import { writeFile } from 'node:fs/promises';
import path from 'node:path';

/**
 * Returns the variables of the servers of a cell behind a proxy that other cells share.
 * @param {string} cell such as `c2`
 * @param {string} proxyUrl
 */
export function cellEnvironment(cell, proxyUrl) {
  return { LIVE_KEY_PREFIX: `ffk_live_${cell}_`, PUBLIC_URL: `${proxyUrl}/${cell}` };
}

/**
 * Writes the file that tells Caddy the cells beside the first one, as operators do in deploy/caddy/cells.caddyfile.
 * @param {string} folder
 * @param {Map<string, string[]>} upstreams the servers of each cell as host:port
 */
export async function writeCells(folder, upstreams) {
  const text = [...upstreams].map(([cell, servers]) =>
    [
      `@${cell} vars cell ${cell}`,
      `handle @${cell} {`,
      `uri strip_prefix /${cell}`,
      `reverse_proxy ${servers.join(' ')} {`,
      'import {args.0}',
      '}',
      '}',
    ].join('\n'),
  );
  await writeFile(path.join(folder, 'cells.caddyfile'), `(cells) {\n${text.join('\n')}\n}\n`);
}
