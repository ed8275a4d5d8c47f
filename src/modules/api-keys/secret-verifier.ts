import { hash, randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { SecretHasher } from '../../access/secret-hasher.js';
import { type ApiKeyParts, secretTagOf } from './api-key-format.js';
import type { StoredSecret } from './api-key.schema.js';

/** The client that presents a key, as far as the first check of a secret needs it. */
export interface KeyClient {
  /** Returns the address or network that failures are counted for. */
  addressGroup(): string;
  /** Runs a check that may have to wait. The request holds no slot of the concurrency limit meanwhile. */
  waitFor<T>(check: () => Promise<T>): Promise<T>;
}

/**
 * `known`: valid, verified before in this process. `first`: valid, verified by argon2 now. `wrong`: not valid.
 * `limited`: not verified, because another secret from the same address was wrong.
 */
export type VerificationResult = 'known' | 'first' | 'wrong' | 'limited';

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
  /**
   * Key and address of wrong secrets with the right tag. Only someone who forges keys sends them: by chance, one wrong
   * secret of 65,536 has the tag. argon2 cannot run often enough to fill the cache within the minute.
   */
  private readonly forged = new LRUCache<string, true>({ max: 10_000, ttl: 60_000, ttlResolution: 0 });
  /** Verifications in progress by key and address, so that a burst of requests with one new key runs argon2 once. */
  private readonly running = new Map<string, { readonly fingerprint: string; readonly isValid: Promise<boolean> }>();

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
  async verify(
    fingerprint: string,
    parts: ApiKeyParts,
    stored: StoredSecret,
    client: KeyClient,
  ): Promise<VerificationResult> {
    if (this.valid.get(fingerprint) === stored.secretHash) return 'known';
    if (stored.secretTag !== undefined && stored.secretTag !== secretTagOf(parts.secret)) return 'wrong';
    const source = `${parts.keyPrefix} ${stored.secretHash} ${client.addressGroup()}`;
    const running = this.running.get(source);
    const isAnother = running !== undefined && running.fingerprint !== fingerprint;
    if (isAnother || this.forged.has(source)) return 'limited';
    const isValid = await client.waitFor(() => {
      if (running !== undefined) return running.isValid;
      const started = this.runArgon2(source, fingerprint, parts, stored);
      this.running.set(source, { fingerprint, isValid: started });
      return started;
    });
    return isValid ? 'first' : 'wrong';
  }

  private async runArgon2(
    source: string,
    fingerprint: string,
    { keyPrefix, secret }: ApiKeyParts,
    { secretHash }: StoredSecret,
  ): Promise<boolean> {
    try {
      const isValid = await this.secrets.verifyKey(keyPrefix, secretHash, secret);
      if (isValid) this.valid.set(fingerprint, secretHash);
      else this.forged.set(source, true);
      return isValid;
    } finally {
      this.running.delete(source);
    }
  }
}
