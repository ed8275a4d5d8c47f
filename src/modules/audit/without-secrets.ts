const namesOfSecrets = /password|secret|hash|token|apiKey$/i;
const jsonWebToken = /eyJ[\w-]+\.eyJ[\w-]+\.[\w-]*/;
const passwordHash = /\$argon2/;
/** Of an API key, what follows its prefix: id, secret and checksum. */
const restOfApiKey = '[0-9A-Za-z]{50}';

/** What stands in the place of a text that looks like a secret. */
export const withheld = '(withheld: it looks like a secret)';

/**
 * Guards the audit: a text that looks like a secret, as of somebody who typed a key into the field of a name, is
 * withheld, at whatever depth; a field that is named like one is a mistake of ours.
 * @param livePrefix what API keys begin with
 * @throws Error that names the field and does not show its value
 */
export function withoutSecrets<T>(changes: T, livePrefix: string): T {
  const apiKey = new RegExp(livePrefix + restOfApiKey);
  const clean = (value: unknown, place: string): unknown => {
    if (typeof value === 'string') {
      return [apiKey, jsonWebToken, passwordHash].some((secret) => secret.test(value)) ? withheld : value;
    }
    if (typeof value !== 'object' || value === null || value instanceof Date) return value;
    if (Array.isArray(value)) return value.map((inner, index) => clean(inner, `${place}.${index}`));
    const entries = Object.entries(value).map(([name, inner]) => {
      if (namesOfSecrets.test(name)) {
        throw new Error(`${place}.${name} looks like a secret, which the audit must not keep`);
      }
      return [name, clean(inner, `${place}.${name}`)];
    });
    return Object.fromEntries(entries);
  };
  return clean(changes, 'changes') as T;
}
