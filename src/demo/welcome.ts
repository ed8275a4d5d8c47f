import { publicPrefix } from '../common/http/public-prefix.js';

/** How people get in. */
export interface DemoAccess {
  /** Undefined where there is no demo data. */
  readonly apiKey?: string;
  /** Undefined where the super admin's login is not known; without a password where the operator chose it. */
  readonly superAdmin?: { readonly email: string; readonly password?: string };
}

const everyAddress = ['0.0.0.0', '::', '[::]'];

/** The address that a person on this machine can open. */
export function addressForPeople(listening: string, host: string): string {
  const url = new URL(listening);
  if (everyAddress.includes(host)) url.hostname = 'localhost';
  return url.origin;
}

/** What the screen shows when a server with an embedded database is ready. It holds secrets: for the screen, never for the log. */
export function welcomeText(address: string, { apiKey, superAdmin }: DemoAccess): string {
  const lines = [`Address: ${address}`, `Docs: ${address}/docs`];
  if (apiKey !== undefined) lines.push(`Demo API key: ${apiKey}`);
  lines.push(`Super admin: ${loginText(superAdmin)}`);
  if (apiKey !== undefined) lines.push('', 'Try it:', triedFirst(address, apiKey));
  return `\n${lines.join('\n')}\n\n`;
}

function loginText(superAdmin: DemoAccess['superAdmin']): string {
  if (superAdmin === undefined) return 'as it was set at the first start';
  const { email, password = 'the password of SUPER_ADMIN_PASSWORD' } = superAdmin;
  return `${email} / ${password}`;
}

function triedFirst(address: string, apiKey: string): string {
  return `curl -H 'Authorization: Bearer ${apiKey}' '${address}/${publicPrefix}/schedules?filter=live'`;
}
