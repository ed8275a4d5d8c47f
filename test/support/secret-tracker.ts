import { randomBytes } from 'node:crypto';

/** A word that occurs nowhere by chance, to mark private texts. */
export function uniqueMark(): string {
  return `mark${randomBytes(8).toString('hex')}`;
}

/** Every secret is longer. */
const prefixLength = 8;

/** Tracks the secrets of one test, to find them wherever they occur. */
export class SecretTracker {
  /** By their first characters: a search for each of thousands of secrets in all stored values takes 30 s. */
  private readonly known = new Map<string, Map<string, string>>();

  /** Creates a secret of letters and digits, which no encoding changes. */
  create(what: string): string {
    return this.add(what, `Secret${randomBytes(15).toString('hex')}`);
  }

  add(what: string, secret: string): string {
    const prefix = secret.slice(0, prefixLength);
    if (secret.length <= prefixLength) throw new Error(`A secret is too short to be found: ${what}`);
    this.known.set(prefix, (this.known.get(prefix) ?? new Map<string, string>()).set(secret, what));
    return secret;
  }

  /** Adds an API key and its secret part. */
  addKey(key: string): string {
    this.add("an API key's secret", key.slice(-38, -6));
    return this.add('an API key', key);
  }

  /** Adds a token and its signature. */
  addToken(token: string): string {
    this.add("a token's signature", token.split('.').at(-1) ?? token);
    return this.add('a token', token);
  }

  /** The descriptions of all secrets in a text, never the secrets themselves. */
  foundIn(text: string): string[] {
    const found = new Set<string>();
    for (let start = 0; start + prefixLength < text.length; start++) {
      for (const [secret, what] of this.known.get(text.slice(start, start + prefixLength)) ?? [])
        if (text.startsWith(secret, start)) found.add(what);
    }
    return [...found];
  }
}
