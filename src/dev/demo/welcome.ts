import type { DemoValues } from '../../http/pages.js';

/** How to access the server after its first start. */
export interface DemoAccess {
  /** Undefined if there is no demo data. */
  readonly demo: DemoValues | undefined;
  /** Undefined if the super admin's login is not known; without a password if the operator chose it. */
  readonly superAdmin: { readonly email: string; readonly password?: string } | undefined;
  readonly hasConsole: boolean;
}

/** Returns a URL that a browser on this machine can open. */
export function browserUrl(listening: string, host: string): string {
  const url = new URL(listening);
  if (['0.0.0.0', '::', '[::]'].includes(host)) url.hostname = 'localhost';
  return url.origin;
}

/** Formats the welcome text of a server with an embedded database. It contains secrets and must not be logged. */
export function welcomeText(baseUrl: string, access: DemoAccess): string {
  const { apiKey } = access.demo ?? {};
  const { email, password = 'the password of SUPER_ADMIN_PASSWORD' } = access.superAdmin ?? {};
  const rows = {
    URL: baseUrl,
    'API reference': `${baseUrl}/docs`,
    ...(access.hasConsole && { Console: `${baseUrl}/console` }),
    ...(apiKey !== undefined && { 'Demo API key': apiKey }),
    'Super admin': email === undefined ? 'as set at the first start' : `${email} / ${password}`,
  };
  const lines = Object.entries(rows).map(([label, value]) => `${label}: ${value}`);
  const request = 'curl "$API/schedules?filter=live" -H "Authorization: Bearer $DEMO_API_KEY"';
  if (apiKey !== undefined) lines.push('', 'Try it in this folder:', '. .data/demo.env', request);
  return `\n${lines.join('\n')}\n\n`;
}
