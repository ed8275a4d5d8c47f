import { apiKeyPattern, type KeyPrefixes } from '../../access/public-api.js';

const secretNames = /password|secret|hash|token|apiKey$/i;
const jsonWebToken = /eyJ[\w-]+\.eyJ[\w-]+\.[\w-]*/;
const passwordHash = /\$argon2/;

export const redacted = '[redacted: looks like a secret]';

/**
 * Replaces every text that looks like a secret, at any depth, such as an API key that was typed into a name field. A
 * field whose name suggests a secret is a programming error.
 * @throws Error that names such a field, without its value
 */
export function redactSecrets<T>(changes: T, prefixes: KeyPrefixes): T {
  const secrets = [apiKeyPattern(prefixes), jsonWebToken, passwordHash];
  const redact = (value: unknown, path: string): unknown => {
    if (typeof value === 'string') {
      return secrets.some((secret) => secret.test(value)) ? redacted : value;
    }
    if (typeof value !== 'object' || value === null || value instanceof Date) return value;
    if (Array.isArray(value)) return value.map((entry, index) => redact(entry, `${path}.${index}`));
    const entries = Object.entries(value).map(([name, entry]) => {
      if (secretNames.test(name))
        throw new Error(`The audit log must not store ${path}.${name}, which looks like a secret`);
      return [name, redact(entry, `${path}.${name}`)];
    });
    return Object.fromEntries(entries);
  };
  return redact(changes, 'changes') as T;
}
