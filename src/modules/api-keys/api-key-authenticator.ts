import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { Clock } from '../../common/clock.js';
import type { ApiKeyAuthentication, KeyHolder } from '../../access/authentication.js';
import { isDisabled } from '../users/account-update.js';
import { type KeyCheckOutcome, Metrics } from '../../common/metrics/metrics.js';
import { Configuration } from '../../common/config/configuration.js';
import { type ApiKeyParts, parseApiKey } from './api-key-format.js';
import { ApiKeysRepository, type KeyWithOwner } from './api-keys.repository.js';
import { KeyUsage } from './key-usage.js';
import { type SecretVerdict, SecretVerifier, type StoredSecret } from './secret-verifier.js';

/** The result of an authentication, for the metrics too. */
interface KeyCheck {
  readonly holder: KeyHolder | null;
  readonly outcome: KeyCheckOutcome;
}

const refused: KeyCheck = { holder: null, outcome: 'refused' };

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
   * Authenticates a request: returns the holder of a presented key, or null if the key is not valid. Checks format and checksum first, then
   * the key's record, cached or read with its organization and its creator, and the secret last.
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
    this.usage.note(keyId);
  }

  /**
   * Returns the organization that a key belonged to when this process last authenticated it, from memory. It authenticates nothing: it only
   * tells callers apart before `identify` runs, so that each organization gets its turn.
   */
  recognize(presented: string): string | undefined {
    return this.recognized.size === 0 ? undefined : this.recognized.get(this.verifier.fingerprintOf(presented));
  }

  private async check(presented: string): Promise<KeyCheck> {
    const parts = parseApiKey(this.configuration.liveKeyPrefix, presented);
    if (parts === undefined) return refused;
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
    if (key === null || holder === null) return refused;
    const verdict = await this.verify(fingerprint, parts, key);
    if (verdict === 'wrong') return refused;
    if (verdict === 'first') return { holder, outcome: 'first' };
    return { holder, outcome: cached === undefined ? 'read' : 'remembered' };
  }

  /** Verifies the secret, and during a grace period the previous one. */
  private async verify(fingerprint: string, parts: ApiKeyParts, record: KeyWithOwner): Promise<SecretVerdict> {
    for (const secret of this.secretsOf(record)) {
      const verdict = await this.verifier.verify(fingerprint, parts, secret);
      if (verdict !== 'wrong') return verdict;
    }
    return 'wrong';
  }

  private secretsOf({ secretHash, secretTag, previous }: KeyWithOwner): StoredSecret[] {
    const current = { secretHash, secretTag };
    const inGrace = previous !== undefined && previous !== null && previous.expiresAt > this.clock.now();
    return inGrace ? [current, previous] : [current];
  }

  private holderOf(record: KeyWithOwner): KeyHolder | null {
    const { organization, creator, scopes, allowedAddresses } = record;
    const isActive =
      record.status === 'active' && (record.expiresAt === undefined || record.expiresAt > this.clock.now());
    if (!isActive || organization === undefined || isDisabled(organization)) return null;
    if (creator === undefined || isDisabled(creator)) return null;
    const known = this.holders.get(record);
    if (known !== undefined) return known;
    const holder: KeyHolder = {
      organization: { id: String(organization._id), name: organization.name },
      actingUser: { id: String(creator._id) },
      apiKey: { id: String(record._id), keyPrefix: record.keyPrefix, ...(scopes && { scopes }) },
      allowedAddresses,
    };
    this.holders.set(record, holder);
    return holder;
  }
}
