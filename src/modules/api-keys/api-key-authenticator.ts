import { hash, randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { Clock } from '../../config/clock.js';
import { Configuration } from '../../config/configuration.js';
import type { KeyRejection, KnownKey, RequestContext } from '../../access/request-context.js';
import { SecretHasher } from '../../access/secret-hasher.js';
import type { ApiRequest } from '../../http/api-request.js';
import { addressGroup, clientAddress } from '../../http/client-address.js';
import { type AuthenticationOutcome, Metrics } from '../../observability/metrics.js';
import { isOutOfService } from '../users/user.rules.js';
import { type ApiKeyParts, parseApiKey, secretTagOf } from './api-key-format.js';
import type { StoredSecret } from './api-key.schema.js';
import { ApiKeysRepository, type KeyWithOwner } from './api-keys.repository.js';

/** The request that presents a key, as far as the first check of a secret needs it. */
type KeyClient = Pick<ApiRequest, 'ip' | 'overload'>;

/**
 * `known`: valid, verified before in this process. `first`: valid, verified by argon2 now. `wrong`: not valid.
 * `limited`: not verified, because another secret from the same address was wrong.
 */
type VerificationResult = 'known' | 'first' | 'wrong' | 'limited';

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
    const source = `${parts.keyPrefix} ${stored.secretHash} ${addressGroup(clientAddress(client))}`;
    const running = this.running.get(source);
    const isAnother = running !== undefined && running.fingerprint !== fingerprint;
    if (isAnother || this.forged.has(source)) return 'limited';
    // While it waits, the request holds no slot of the concurrency limit.
    client.overload?.pause();
    const isValid = running?.isValid ?? this.runArgon2(source, fingerprint, parts, stored);
    this.running.set(source, { fingerprint, isValid });
    const result = (await isValid) ? 'first' : 'wrong';
    await client.overload?.resume();
    return result;
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

/** The caller that an API key authenticates, and the addresses that may use the key. */
interface KeyHolder extends Pick<RequestContext, 'organization' | 'actingUser' | 'apiKey'> {
  /** Addresses and CIDR networks; undefined allows all. */
  readonly allowedAddresses: readonly string[] | undefined;
  /** Whether the presented secret is the one from before the last rotation. */
  readonly isPreviousSecret: boolean;
}

/** Why a key is rejected. */
export interface Rejection {
  readonly reason: KeyRejection;
  /** How a key has ended that was presented with its secret. */
  readonly ended?: string;
  /** Whether the secret was not verified, because another one from the same address was wrong. */
  readonly isLimited?: boolean;
}

/** The holder of a valid key, or a rejected one; null for a key that does not exist. */
type Authentication = KeyHolder | (KnownKey & Rejection) | null;

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
   * @throws ServiceError 50302 if too many keys are verified for the first time concurrently
   */
  async authenticate(presented: string, client: KeyClient): Promise<Authentication> {
    let outcome: AuthenticationOutcome = 'error';
    try {
      const [holder, checked] = await this.check(presented, client);
      outcome = checked;
      return holder;
    } finally {
      this.metrics.countAuthentication(outcome);
    }
  }

  /**
   * Returns the organization of a key that this process authenticated before, from memory. It does not authenticate: it
   * only distinguishes callers before `authenticate` runs, so that each organization gets its turn.
   */
  peekCaller(presented: string): string | undefined {
    return this.recognized.size === 0 ? undefined : this.recognized.get(this.verifier.fingerprintOf(presented));
  }

  /** Returns the holder of a key, and the label of the result in the metrics. */
  private async check(presented: string, client: KeyClient): Promise<[Authentication, AuthenticationOutcome]> {
    const { liveKeyPrefix, testKeyPrefix } = this.configuration;
    const isTest = presented.startsWith(testKeyPrefix);
    const parts = parseApiKey(isTest ? testKeyPrefix : liveKeyPrefix, presented);
    if (parts === undefined) return [null, 'invalid'];
    const fingerprint = this.verifier.fingerprintOf(presented);
    const isCached = this.keys.isCached(parts.keyPrefix);
    const key = await this.keys.findByPrefix(parts.keyPrefix);
    const reject = (rejected: Authentication): [Authentication, AuthenticationOutcome] => {
      this.recognized.delete(fingerprint);
      return [rejected, 'invalid'];
    };
    // A test key must never reach live data, even if someone changed the stored records.
    if (key === null || isTest !== (key.organization.isSandbox ?? false)) return reject(null);
    const { result, isPrevious } = await this.verify(fingerprint, parts, key, client);
    const rejection = this.rejectionOf(key, result);
    // Nothing is recorded of an organization that is being erased.
    if (rejection) return reject(key.organization.erasingSince ? null : { ...knownKey(key), ...rejection });
    const holder = holderOf(key, isPrevious);
    this.recognized.set(fingerprint, holder.organization.id);
    return [holder, result === 'first' ? 'hash_verified' : isCached ? 'cache_hit' : 'database_read'];
  }

  /** Verifies the current secret and, during a grace period, the previous one; none of a key that is out of service. */
  private async verify(fingerprint: string, parts: ApiKeyParts, key: KeyWithOwner, client: KeyClient) {
    const { previous, organization, creator } = key;
    if (isOutOfService(organization, creator)) return { result: 'disabled', isPrevious: false } as const;
    const result = await this.verifier.verify(fingerprint, parts, key, client);
    const isOver = !previous || previous.expiresAt <= this.clock.now();
    if (isOver || result === 'known' || result === 'first') return { result, isPrevious: false };
    const earlier = await this.verifier.verify(fingerprint, parts, previous, client);
    return { result: earlier === 'wrong' ? result : earlier, isPrevious: earlier !== 'wrong' };
  }

  /** Returns why a key is rejected, or undefined for an active one with one of its secrets. */
  private rejectionOf(
    { status, expiresAt, revokedAt }: KeyWithOwner,
    result: VerificationResult | 'disabled',
  ): Rejection | undefined {
    if (result === 'disabled') return { reason: 'disabled' };
    if (result === 'wrong' || result === 'limited') return { reason: 'wrongSecret', isLimited: result === 'limited' };
    const time = revokedAt ? ` at ${revokedAt.toISOString()}` : '';
    if (status !== 'active') return { reason: 'revoked', ended: `The API key was revoked${time}` };
    const isExpired = expiresAt !== undefined && expiresAt <= this.clock.now();
    return isExpired ? { reason: 'expired', ended: `The API key expired at ${expiresAt.toISOString()}` } : undefined;
  }
}

function knownKey({ _id, name, keyPrefix, organizationId }: KeyWithOwner): KnownKey {
  return { id: String(_id), name, keyPrefix, organizationId: String(organizationId) };
}

function holderOf(key: KeyWithOwner, isPreviousSecret: boolean): KeyHolder {
  const { _id, name, keyPrefix, scopes, allowedAddresses, organization, creator } = key;
  return {
    organization: {
      id: String(organization._id),
      ...(organization.isSandbox === true && { sandbox: { resets: organization.resets ?? 0 } }),
    },
    actingUser: { id: String(creator._id) },
    apiKey: { id: String(_id), name, keyPrefix, ...(scopes && { scopes }) },
    allowedAddresses,
    isPreviousSecret,
  };
}
