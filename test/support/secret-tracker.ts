import { randomBytes } from 'node:crypto';

/** A word that no text has by chance, to put into texts that are nobody else's business. */
export function uniqueMark(): string {
  return `mark${randomBytes(8).toString('hex')}`;
}

/** The secrets of one test, so that they are known again wherever they turn up. */
export class SecretTracker {
  private readonly known = new Map<string, string>();

  /** A secret that nobody else has: letters and digits, so that no encoding changes it. */
  create(what: string): string {
    return this.add(what, `Secret${randomBytes(15).toString('hex')}`);
  }

  add(what: string, secret: string): string {
    this.known.set(secret, what);
    return secret;
  }

  /** A whole API key, and its secret part alone. */
  addKey(key: string): string {
    this.add("an API key's secret", key.slice(-38, -6));
    return this.add('an API key', key);
  }

  /** A whole token, and its signature alone. */
  addToken(token: string): string {
    this.add("a token's signature", token.split('.').at(-1) ?? token);
    return this.add('a token', token);
  }

  /** What each secret is that stands in a text; never the secret itself. */
  foundIn(text: string): string[] {
    const found = [...this.known].filter(([secret]) => text.includes(secret));
    return [...new Set(found.map(([, what]) => what))];
  }
}
