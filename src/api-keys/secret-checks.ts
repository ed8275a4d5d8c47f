import { hash, randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { keepNewest } from '../common/keep-newest.js';
import { SecretHasher } from '../common/secrets/secret-hasher.js';
import { type ApiKeyParts, secretTagOf } from './api-key-format.js';

/** 23 MB where all are taken: as many keys as one server may meet. A secret that is forgotten costs argon2 anew. */
const rememberedPassed = 100_000;
const rememberedWrong = 10_000;
const wrongMilliseconds = 60_000;

/** What is stored of a secret. */
export interface StoredSecret {
  readonly secretHash: string;
  readonly secretTag?: string | undefined;
}

/** `known`: right, and was seen before; `first`: right, seen for the first time in this process; `wrong`. */
export type SecretVerdict = 'known' | 'first' | 'wrong';

/**
 * Checks secrets against what is stored of them. argon2 runs for a secret on its first sight in this process; its
 * outcome is remembered, bound to the hash, so that it says nothing of another secret or another hash.
 */
@Injectable()
export class SecretChecks {
  /** Before a key this secret of the process makes its fingerprint say nothing to a reader of the memory. */
  private readonly fingerprintSecret = randomBytes(32).toString('base64');
  /** A key's fingerprint → the hash that it passed against. The oldest goes first. */
  private readonly passed = new Map<string, string>();
  /** A key's fingerprint with the hash that it failed against → until when that is remembered. */
  private readonly wrong = new Map<string, number>();
  /** Checks that run at this moment: a burst of requests with one new key pays for one of them, not for each. */
  private readonly running = new Map<string, Promise<boolean>>();

  constructor(private readonly secrets: SecretHasher) {}

  /** What a presented key is known by in this process; it says nothing of the key. */
  fingerprintOf(presented: string): string {
    return hash('sha256', this.fingerprintSecret + presented, 'base64');
  }

  /**
   * Whether a presented key's secret is the stored one.
   * @param fingerprint the key's, by `fingerprintOf`
   * @throws ServiceError 50302 where too many first checks wait
   */
  async judge(fingerprint: string, parts: ApiKeyParts, stored: StoredSecret): Promise<SecretVerdict> {
    if (this.passed.get(fingerprint) === stored.secretHash) return 'known';
    if (stored.secretTag !== undefined && stored.secretTag !== secretTagOf(parts.secret)) return 'wrong';
    const name = `${fingerprint} ${stored.secretHash}`;
    if ((this.wrong.get(name) ?? 0) > performance.now()) return 'wrong';
    const right = await this.check(name, parts, stored.secretHash);
    if (right) keepNewest(this.passed, fingerprint, stored.secretHash, rememberedPassed);
    else keepNewest(this.wrong, name, performance.now() + wrongMilliseconds, rememberedWrong);
    return right ? 'first' : 'wrong';
  }

  private check(name: string, { keyPrefix, secret }: ApiKeyParts, hash: string): Promise<boolean> {
    const known = this.running.get(name);
    if (known !== undefined) return known;
    const check = this.secrets.verifyKey(hash, secret, keyPrefix).finally(() => this.running.delete(name));
    this.running.set(name, check);
    return check;
  }
}
