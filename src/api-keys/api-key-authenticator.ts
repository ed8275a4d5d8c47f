import { createHmac, randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Clock } from '../common/clock.js';
import type { RequestContext } from '../common/context/request-context.js';
import { isDisabled } from '../common/disabled.js';
import { SecretHasher } from '../common/secrets/secret-hasher.js';
import { Configuration } from '../config/configuration.js';
import { type ApiKeyParts, parseApiKey } from './api-key-format.js';
import { type PresentedKeyRecord, PresentedKeysRepository } from './presented-keys.repository.js';

const rememberedChecks = 10_000;

/** Whom a presented key stands for. */
export type KeyHolder = Pick<RequestContext, 'organization' | 'actingUser' | 'apiKey'>;

/** Tells who a presented API key is. */
@Injectable()
export class ApiKeyAuthenticator {
  /** Under this secret of the process a key's fingerprint says nothing to a reader of its memory. */
  private readonly fingerprintSecret = randomBytes(32);
  /** Passed argon2 checks: a key's fingerprint → the hash it passed against. The oldest goes first. */
  private readonly passed = new Map<string, string>();
  /** Checks that run at this moment: a burst of requests with one new key pays for one of them, not for each. */
  private readonly running = new Map<string, Promise<boolean>>();

  constructor(
    private readonly keys: PresentedKeysRepository,
    private readonly configuration: Configuration,
    private readonly secrets: SecretHasher,
    private readonly clock: Clock,
  ) {}

  /**
   * The holder of a presented key, or null where the key is no good. The key's record is read each time, so that a
   * revoked or rotated key is dead at once; only the passed argon2 check is remembered, bound to the stored hash.
   */
  async identify(presented: string): Promise<KeyHolder | null> {
    const parts = parseApiKey(this.configuration.liveKeyPrefix, presented);
    if (parts === undefined) return null;
    const record = await this.keys.findPresented(parts.keyPrefix);
    if (record === null || !(await this.isRight(presented, parts, record.secretHash))) return null;
    return this.holderOf(record);
  }

  private async isRight(presented: string, { keyPrefix, secret }: ApiKeyParts, hash: string): Promise<boolean> {
    const fingerprint = createHmac('sha256', this.fingerprintSecret).update(presented).digest('base64');
    if (this.passed.get(fingerprint) === hash) return true;
    if (!(await this.check(`${fingerprint} ${hash}`, { keyPrefix, secret }, hash))) return false;
    this.passed.delete(fingerprint);
    this.passed.set(fingerprint, hash);
    const [oldest] = this.passed.keys();
    if (this.passed.size > rememberedChecks && oldest !== undefined) this.passed.delete(oldest);
    return true;
  }

  private check(name: string, { keyPrefix, secret }: ApiKeyParts, hash: string): Promise<boolean> {
    const known = this.running.get(name);
    if (known !== undefined) return known;
    const check = this.secrets.verifyKey(hash, secret, keyPrefix).finally(() => this.running.delete(name));
    this.running.set(name, check);
    return check;
  }

  private holderOf(record: PresentedKeyRecord): KeyHolder | null {
    const { organization, creator } = record;
    const alive = record.status === 'active' && (record.expiresAt === undefined || record.expiresAt > this.clock.now());
    if (!alive || organization === undefined || isDisabled(organization)) return null;
    if (creator === undefined || isDisabled(creator)) return null;
    return {
      organization: { id: String(organization._id), name: organization.name },
      actingUser: { id: String(creator._id) },
      apiKey: { id: String(record._id), keyPrefix: record.keyPrefix },
    };
  }
}
