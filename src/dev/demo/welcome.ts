import { publicPrefix } from '../../common/http/public-api.js';
import type { DemoValues } from '../../common/openapi/api-reference.js';

/** How to access the server after its first start. */
export interface DemoAccess {
  /** Undefined if there is no demo data. */
  readonly demo: DemoValues | undefined;
  /** Undefined if the super admin's login is not known; without a password if the operator chose it. */
  readonly superAdmin: { readonly email: string; readonly password?: string } | undefined;
  readonly hasConsole: boolean;
}

/** Standard output, as far as the welcome text depends on it. `hasColors` heeds `NO_COLOR`. */
type Screen = Partial<Pick<NodeJS.WriteStream, 'isTTY' | 'hasColors'>>;

/** Returns an address that a browser on this machine can open. */
export function addressForPeople(listening: string, host: string): string {
  const url = new URL(listening);
  if (['0.0.0.0', '::', '[::]'].includes(host)) url.hostname = 'localhost';
  return url.origin;
}

/**
 * Formats the welcome text of a server with an embedded database: lines for programs, or in a terminal a short screen
 * for people. It contains secrets and must not be logged.
 */
export function welcomeText(address: string, access: DemoAccess, screen: Screen = {}): string {
  const { apiKey } = access.demo ?? {};
  const { email, password = 'the password of SUPER_ADMIN_PASSWORD' } = access.superAdmin ?? {};
  const login = email === undefined ? 'as set at the first start' : `${email} / ${password}`;
  const docs = `${address}/docs`;
  const site = access.hasConsole ? { Console: `${address}/console` } : {};
  const key = apiKey === undefined ? {} : { 'Demo API key': apiKey };
  const url = `${address}/${publicPrefix}/schedules?filter=live`;
  const request = apiKey && `curl -H 'Authorization: Bearer ${apiKey}' '${url}'`;
  if (screen.isTTY)
    return screenText({ ...site, 'Super admin': login, 'API reference': docs, ...key }, request, screen);
  const rows = Object.entries({ Address: address, Docs: docs, ...site, ...key, 'Super admin': login });
  const lines = rows.map(([label, value]) => `${label}: ${value}`);
  return `\n${[...lines, ...(request ? ['', 'Try it:', request] : [])].join('\n')}\n\n`;
}

function screenText(rows: Record<string, string>, request: string | undefined, screen: Screen): string {
  const hasColors = screen.hasColors?.() ?? false;
  const style = (code: number, text: string) => (hasColors ? `\x1b[${code}m${text}\x1b[0m` : text);
  const [bold, dim, cyan] = [1, 2, 36];
  const lines = Object.entries(rows).map(
    ([label, value]) => `${style(dim, label.padEnd(15))}${value.startsWith('http') ? style(cyan, value) : value}`,
  );
  const attempt = request ? ['', style(dim, 'List the live games:'), request] : [];
  const text = [style(bold, 'The server is ready. Ctrl-C stops it.'), '', ...lines, ...attempt];
  return `\n${text.join('\n')}\n\n`;
}
