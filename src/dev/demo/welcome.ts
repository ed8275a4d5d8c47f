import { publicPrefix } from '../../common/http/public-api.js';
import type { DemoValues } from '../../common/openapi/api-reference.js';

/** How to access the server after its first start. */
export interface DemoAccess {
  /** Undefined if there is no demo data. */
  readonly demo: DemoValues | undefined;
  /** Undefined if the super admin's login is not known; without a password if the operator chose it. */
  readonly superAdmin: { readonly email: string; readonly password?: string } | undefined;
}

/** Returns an address that a browser on this machine can open. */
export function addressForPeople(listening: string, host: string): string {
  const url = new URL(listening);
  if (['0.0.0.0', '::', '[::]'].includes(host)) url.hostname = 'localhost';
  return url.origin;
}

/** Formats the welcome text of a server with an embedded database. It contains secrets and must not be logged. */
export function welcomeText(address: string, { demo, superAdmin }: DemoAccess): string {
  const { apiKey } = demo ?? {};
  const { email, password = 'the password of SUPER_ADMIN_PASSWORD' } = superAdmin ?? {};
  const login = email === undefined ? 'as set at the first start' : `${email} / ${password}`;
  const lines = [`Address: ${address}`, `Docs: ${address}/docs`];
  if (apiKey !== undefined) lines.push(`Demo API key: ${apiKey}`);
  lines.push(`Super admin: ${login}`);
  if (apiKey !== undefined) {
    const url = `${address}/${publicPrefix}/schedules?filter=live`;
    lines.push('', 'Try it:', `curl -H 'Authorization: Bearer ${apiKey}' '${url}'`);
  }
  return `\n${lines.join('\n')}\n\n`;
}
