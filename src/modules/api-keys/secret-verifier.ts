import { hash, randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { SecretHasher } from '../../common/secrets/secret-hasher.js';
import { type ApiKeyParts, secretTagOf } from './api-key-format.js';
import type { StoredSecret } from './api-key.schema.js';

/** `known`: valid, verified before in this process. `first`: valid, verified by argon2 now. `wrong`: not valid. */
export type VerificationResult = 'known' | 'first' | 'wrong';

/**
 * Verifies secrets against their stored hashes. argon2 runs once per secret and process. The result is cached together
 * with the hash, so that it does not apply to another secret or hash.
 */
@Injectable()
export class SecretVerifier {
  /** Hashed with every key, so that guessed keys cannot be tested against the fingerprints in a memory dump. */
  private readonly pepper = randomBytes(32).toString('base64');
  /** Fingerprint of a valid key → its stored hash; 23 MB if full. */
  private readonly valid = new LRUCache<string, string>({ max: 100_000 });
  /** Fingerprints of wrong keys with the stored hash. */
  private readonly wrong = new LRUCache<string, true>({ max: 10_000, ttl: 60_000, ttlResolution: 0 });
  /** Verifications in progress, so that a burst of requests with one new key runs argon2 once. */
  private readonly running = new Map<string, Promise<boolean>>();

  constructor(private readonly secrets: SecretHasher) {}

  /** Returns an identifier of a presented key for use in this process. It does not reveal the key. */
  fingerprintOf(presented: string): string {
    return hash('sha256', this.pepper + presented, 'base64');
  }

  /**
   * Verifies the secret of a presented key against the stored one.
   * @param fingerprint of the key, as returned by `fingerprintOf`
   * @throws ServiceError 50302 if too many verifications are queued
   */
  async verify(fingerprint: string, parts: ApiKeyParts, stored: StoredSecret): Promise<VerificationResult> {
    if (this.valid.get(fingerprint) === stored.secretHash) return 'known';
    if (stored.secretTag !== undefined && stored.secretTag !== secretTagOf(parts.secret)) return 'wrong';
    const cacheKey = `${fingerprint} ${stored.secretHash}`;
    if (this.wrong.has(cacheKey)) return 'wrong';
    const isValid = await this.runOnce(cacheKey, parts, stored.secretHash);
    if (isValid) this.valid.set(fingerprint, stored.secretHash);
    else this.wrong.set(cacheKey, true);
    return isValid ? 'first' : 'wrong';
  }

  private runOnce(cacheKey: string, { secret }: ApiKeyParts, secretHash: string): Promise<boolean> {
    const running = this.running.get(cacheKey);
    if (running !== undefined) return running;
    const check = this.secrets.verifyKey(secretHash, secret).finally(() => this.running.delete(cacheKey));
    this.running.set(cacheKey, check);
    return check;
  }
}
