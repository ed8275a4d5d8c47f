import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import type { ApiKeyAuthentication, KeyHolder } from '../../access/authentication.js';
import { Clock } from '../../common/clock.js';
import { Configuration } from '../../common/config/configuration.js';
import { type KeyCheckOutcome, Metrics } from '../../common/metrics/metrics.js';
import { isDisabled } from '../users/account.js';
import { type ApiKeyParts, parseApiKey } from './api-key-format.js';
import type { StoredSecret } from './api-key.schema.js';
import { ApiKeysRepository, type KeyWithOwner } from './api-keys.repository.js';
import { KeyUsage } from './key-usage.js';
import { SecretVerifier, type VerificationResult } from './secret-verifier.js';

/** The result of an authentication, with its label in the metrics. */
interface KeyCheck {
  readonly holder: KeyHolder | null;
  readonly outcome: KeyCheckOutcome;
}

const rejected: KeyCheck = { holder: null, outcome: 'refused' };

/** Authenticates presented API keys. */
@Injectable()
export class ApiKeyAuthenticator implements ApiKeyAuthentication {
  /** Fingerprint of a valid key → ID of its organization. */
  private readonly recognized = new LRUCache<string, string>({ max: 10_000 });
  /** Holders of cached keys. */
  private readonly holders = new WeakMap<KeyWithOwner, KeyHolder>();

  constructor(
    private readonly keys: ApiKeysRepository,
    private readonly verifier: SecretVerifier,
    private readonly usage: KeyUsage,
    private readonly configuration: Configuration,
    private readonly clock: Clock,
    private readonly metrics: Metrics,
  ) {}

  /**
   * Returns the holder of a presented key, or null if the key is not valid. Checks format and checksum first, then the key's record
   * (cached, or read with its organization and the organization's creator), and the secret last.
   * @throws ServiceError 50302 if too many keys are verified for the first time at once
   */
  async identify(presented: string): Promise<KeyHolder | null> {
    let outcome: KeyCheckOutcome = 'failed';
    try {
      const check = await this.check(presented);
      outcome = check.outcome;
      return check.holder;
    } finally {
      this.metrics.countKeyCheck(outcome);
    }
  }

  recordUse(keyId: string): void {
    this.usage.record(keyId);
  }

  /**
   * Returns the organization of a key that this process authenticated before, from memory. It does not authenticate: it only
   * distinguishes callers before `identify` runs, so that each organization gets its turn.
   */
  recognize(presented: string): string | undefined {
    return this.recognized.size === 0 ? undefined : this.recognized.get(this.verifier.fingerprintOf(presented));
  }

  private async check(presented: string): Promise<KeyCheck> {
    const parts = parseApiKey(this.configuration.liveKeyPrefix, presented);
    if (parts === undefined) return rejected;
    const fingerprint = this.verifier.fingerprintOf(presented);
    const check = await this.checkParts(parts, fingerprint);
    if (check.holder === null) this.recognized.delete(fingerprint);
    else this.recognized.set(fingerprint, check.holder.organization.id);
    return check;
  }

  private async checkParts(parts: ApiKeyParts, fingerprint: string): Promise<KeyCheck> {
    const cached = this.keys.cache.get(parts.keyPrefix);
    const key = cached ?? (await this.keys.findByPrefix(parts.keyPrefix));
    const holder = key && this.holderOf(key);
    if (key === null || holder === null) return rejected;
    const result = await this.verify(fingerprint, parts, key);
    if (result === 'wrong') return rejected;
    if (result === 'first') return { holder, outcome: 'first' };
    return { holder, outcome: cached === undefined ? 'read' : 'remembered' };
  }

  /** Verifies the current secret and, during a grace period, the previous one. */
  private async verify(fingerprint: string, parts: ApiKeyParts, key: KeyWithOwner): Promise<VerificationResult> {
    for (const secret of this.secretsOf(key)) {
      const result = await this.verifier.verify(fingerprint, parts, secret);
      if (result !== 'wrong') return result;
    }
    return 'wrong';
  }

  private secretsOf(key: KeyWithOwner): StoredSecret[] {
    const { previous } = key;
    const isInGracePeriod = previous !== undefined && previous !== null && previous.expiresAt > this.clock.now();
    return isInGracePeriod ? [key, previous] : [key];
  }

  private holderOf(key: KeyWithOwner): KeyHolder | null {
    const { organization, creator, scopes, allowedAddresses } = key;
    const isActive = key.status === 'active' && (key.expiresAt === undefined || key.expiresAt > this.clock.now());
    if (!isActive || organization === undefined || isDisabled(organization)) return null;
    if (creator === undefined || isDisabled(creator)) return null;
    const cached = this.holders.get(key);
    if (cached !== undefined) return cached;
    const holder: KeyHolder = {
      organization: { id: String(organization._id), name: organization.name },
      actingUser: { id: String(creator._id) },
      apiKey: { id: String(key._id), keyPrefix: key.keyPrefix, ...(scopes && { scopes }) },
      allowedAddresses,
    };
    this.holders.set(key, holder);
    return holder;
  }
}
