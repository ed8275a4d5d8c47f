import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { Clock } from '../../config/clock.js';
import { Configuration } from '../../config/configuration.js';
import type { RequestContext } from '../../access/request-context.js';
import { type KeyCheckOutcome, Metrics } from '../../observability/metrics.js';
import { isDisabled } from '../users/account.js';
import { type ApiKeyParts, parseApiKey } from './api-key-format.js';
import { ApiKeysRepository, type KeyWithOwner } from './api-keys.repository.js';
import { type KeyClient, SecretVerifier, type VerificationResult } from './secret-verifier.js';

/** The caller that an API key authenticates, and the addresses that may use the key. */
interface KeyHolder extends Pick<RequestContext, 'organization' | 'actingUser' | 'apiKey'> {
  /** Addresses and CIDR networks; undefined allows all. */
  readonly allowedAddresses: readonly string[] | undefined;
}

/**
 * The holder of a valid key, or null for an invalid one. `limited`: the secret was not verified, because another one
 * from the same address was wrong.
 */
type Authentication = KeyHolder | 'limited' | null;

/** The result of an authentication, with its label in the metrics. */
interface KeyCheck {
  readonly holder: Authentication;
  readonly outcome: KeyCheckOutcome;
}

@Injectable()
export class ApiKeyAuthenticator {
  /** Fingerprint of a valid key → ID of its organization. */
  private readonly recognized = new LRUCache<string, string>({ max: 10_000 });

  constructor(
    private readonly keys: ApiKeysRepository,
    private readonly verifier: SecretVerifier,
    private readonly configuration: Configuration,
    private readonly clock: Clock,
    private readonly metrics: Metrics,
  ) {}

  /**
   * Authenticates a presented key. Checks format and checksum first, then the key's record (cached, or read with its
   * organization and the organization's creator), and the secret last.
   * @throws ServiceError 50302 if too many keys are verified for the first time at once
   */
  async authenticate(presented: string, client: KeyClient): Promise<Authentication> {
    let outcome: KeyCheckOutcome = 'failed';
    try {
      const check = await this.check(presented, client);
      outcome = check.outcome;
      return check.holder;
    } finally {
      this.metrics.countKeyCheck(outcome);
    }
  }

  /**
   * Returns the organization of a key that this process authenticated before, from memory. It does not authenticate: it
   * only distinguishes callers before `authenticate` runs, so that each organization gets its turn.
   */
  peekCaller(presented: string): string | undefined {
    return this.recognized.size === 0 ? undefined : this.recognized.get(this.verifier.fingerprintOf(presented));
  }

  private async check(presented: string, client: KeyClient): Promise<KeyCheck> {
    const parts = parseApiKey(this.configuration.liveKeyPrefix, presented);
    if (parts === undefined) return { holder: null, outcome: 'refused' };
    const fingerprint = this.verifier.fingerprintOf(presented);
    const isCached = this.keys.isCached(parts.keyPrefix);
    const key = await this.keys.findByPrefix(parts.keyPrefix);
    const result = key !== null && this.isActive(key) ? await this.verify(fingerprint, parts, key, client) : 'wrong';
    if (key === null || result === 'wrong' || result === 'limited') {
      this.recognized.delete(fingerprint);
      return { holder: result === 'limited' ? result : null, outcome: 'refused' };
    }
    const holder = holderOf(key);
    this.recognized.set(fingerprint, holder.organization.id);
    return { holder, outcome: result === 'first' ? 'first' : isCached ? 'remembered' : 'read' };
  }

  private isActive({ status, expiresAt, organization, creator }: KeyWithOwner): boolean {
    const isExpired = expiresAt !== undefined && expiresAt <= this.clock.now();
    return status === 'active' && !isExpired && !isDisabled(organization) && !isDisabled(creator);
  }

  /** Verifies the current secret and, during a grace period, the previous one. */
  private async verify(
    fingerprint: string,
    parts: ApiKeyParts,
    key: KeyWithOwner,
    client: KeyClient,
  ): Promise<VerificationResult> {
    const result = await this.verifier.verify(fingerprint, parts, key, client);
    const { previous } = key;
    const isOver = !previous || previous.expiresAt <= this.clock.now();
    if (isOver || result === 'known' || result === 'first') return result;
    const earlier = await this.verifier.verify(fingerprint, parts, previous, client);
    return earlier === 'wrong' ? result : earlier;
  }
}

function holderOf({ _id, keyPrefix, scopes, allowedAddresses, organization, creator }: KeyWithOwner): KeyHolder {
  return {
    organization: { id: String(organization._id) },
    actingUser: { id: String(creator._id) },
    apiKey: { id: String(_id), keyPrefix, ...(scopes && { scopes }) },
    allowedAddresses,
  };
}
