import { hash, randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { SecretHasher } from '../../common/secrets/secret-hasher.js';
import { type ApiKeyParts, secretTagOf } from './api-key-format.js';

/** What is stored of a secret. */
export interface StoredSecret {
  readonly secretHash: string;
  readonly secretTag?: string | undefined;
}

/** `known`: right, and verified before; `first`: right, verified by argon2 for the first time in this process; `wrong`. */
export type SecretVerdict = 'known' | 'first' | 'wrong';

/**
 * Verifies secrets against their stored hashes. argon2 runs once for a secret in this process. The outcome is cached with the hash that
 * it was verified against, so that it says nothing about another secret or another hash.
 */
@Injectable()
export class SecretVerifier {
  /** Hashed with every key, so that fingerprints in a memory dump cannot be tested against guessed keys. */
  private readonly pepper = randomBytes(32).toString('base64');
  /** Fingerprint of a key → hash that it passed against; 23 MB if full. */
  private readonly passed = new LRUCache<string, string>({ max: 100_000 });
  /** Fingerprints of keys with the hash that they failed against. */
  private readonly failed = new LRUCache<string, true>({ max: 10_000, ttl: 60_000, ttlResolution: 0 });
  /** Verifications in progress: a burst of requests with one new key costs one argon2. */
  private readonly running = new Map<string, Promise<boolean>>();

  constructor(private readonly secrets: SecretHasher) {}

  /** Returns an identifier of a presented key that is valid in this process and does not reveal the key. */
  fingerprintOf(presented: string): string {
    return hash('sha256', this.pepper + presented, 'base64');
  }

  /**
   * Verifies a presented key's secret against the stored one.
   * @param fingerprint the key's, by `fingerprintOf`
   * @throws ServiceError 50302 if too many first verifications wait
   */
  async verify(fingerprint: string, parts: ApiKeyParts, stored: StoredSecret): Promise<SecretVerdict> {
    if (this.passed.get(fingerprint) === stored.secretHash) return 'known';
    if (stored.secretTag !== undefined && stored.secretTag !== secretTagOf(parts.secret)) return 'wrong';
    const name = `${fingerprint} ${stored.secretHash}`;
    if (this.failed.has(name)) return 'wrong';
    const isRight = await this.runOnce(name, parts, stored.secretHash);
    if (isRight) this.passed.set(fingerprint, stored.secretHash);
    else this.failed.set(name, true);
    return isRight ? 'first' : 'wrong';
  }

  private runOnce(name: string, { secret }: ApiKeyParts, secretHash: string): Promise<boolean> {
    const running = this.running.get(name);
    if (running !== undefined) return running;
    const check = this.secrets.verifyKey(secretHash, secret).finally(() => this.running.delete(name));
    this.running.set(name, check);
    return check;
  }
}
