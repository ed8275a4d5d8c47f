import { randomBytes } from 'node:crypto';

/** A word that occurs nowhere by chance, to mark private texts. */
export function uniqueMark(): string {
  return `mark${randomBytes(8).toString('hex')}`;
}

/** Tracks the secrets of one test, to find them wherever they occur. */
export class SecretTracker {
  private readonly known = new Map<string, string>();

  /** Creates a secret of letters and digits, which no encoding changes. */
  create(what: string): string {
    return this.add(what, `Secret${randomBytes(15).toString('hex')}`);
  }

  add(what: string, secret: string): string {
    this.known.set(secret, what);
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
    const found = [...this.known].filter(([secret]) => text.includes(secret));
    return [...new Set(found.map(([, what]) => what))];
  }
}
