import { Injectable } from '@nestjs/common';
import { Clock } from '../common/clock.js';
import type { RequestContext } from '../common/context/request-context.js';
import { isDisabled } from '../common/disabled.js';
import { keepNewest } from '../common/keep-newest.js';
import type { KeyCheckOutcome } from '../common/metrics/metrics.js';
import { Metrics } from '../common/metrics/metrics.js';
import { Configuration } from '../config/configuration.js';
import { type ApiKeyParts, parseApiKey } from './api-key-format.js';
import { KeyMemory } from './key-memory.js';
import { type PresentedKeyRecord, PresentedKeysRepository } from './presented-keys.repository.js';
import { SecretChecks, type SecretVerdict, type StoredSecret } from './secret-checks.js';

const recognizedKeys = 10_000;

/** Whom a presented key stands for, and from where it may be used. */
export interface KeyHolder extends Pick<RequestContext, 'organization' | 'actingUser' | 'apiKey'> {
  /** Addresses and networks; undefined: from everywhere. */
  readonly allowedAddresses: readonly string[] | undefined;
}

/** Who a key is, and what it took to find that out. */
interface KeyCheck {
  readonly holder: KeyHolder | null;
  readonly outcome: KeyCheckOutcome;
}

const refused: KeyCheck = { holder: null, outcome: 'refused' };

/** Tells who a presented API key is. */
@Injectable()
export class ApiKeyAuthenticator {
  /** A right key's fingerprint → its organization's id; the oldest goes first. */
  private readonly recognized = new Map<string, string>();
  /** Whom a record stands for, while it is remembered; whether it still does is asked each time. */
  private readonly holders = new WeakMap<PresentedKeyRecord, KeyHolder>();

  constructor(
    private readonly keys: PresentedKeysRepository,
    private readonly memory: KeyMemory,
    private readonly checks: SecretChecks,
    private readonly configuration: Configuration,
    private readonly clock: Clock,
    private readonly metrics: Metrics,
  ) {}

  /**
   * The holder of a presented key, or null where the key is no good. Format and checksum are looked at first, then the
   * key's record, remembered or read at once with its organization and its creator, and last the secret.
   * @throws ServiceError 50302 where too many keys are seen for the first time at once
   */
  async identify(presented: string): Promise<KeyHolder | null> {
    let outcome: KeyCheckOutcome = 'failed';
    try {
      const check = await this.check(presented);
      outcome = check.outcome;
      return check.holder;
    } finally {
      this.metrics.keyChecked(outcome);
    }
  }

  /**
   * The id of the organization whose key this was when it was last presented to this process, told at once, from memory.
   * It says who is likely to call, so that callers can be kept apart, and nothing of what they may do: only `identify` does.
   */
  recognize(presented: string): string | undefined {
    return this.recognized.size === 0 ? undefined : this.recognized.get(this.checks.fingerprintOf(presented));
  }

  private noteHolder(fingerprint: string, holder: KeyHolder | null): void {
    if (holder === null) this.recognized.delete(fingerprint);
    else if (!this.recognized.has(fingerprint))
      keepNewest(this.recognized, fingerprint, holder.organization.id, recognizedKeys);
  }

  private async check(presented: string): Promise<KeyCheck> {
    const parts = parseApiKey(this.configuration.liveKeyPrefix, presented);
    if (parts === undefined) return refused;
    const fingerprint = this.checks.fingerprintOf(presented);
    const check = await this.checkParts(parts, fingerprint);
    this.noteHolder(fingerprint, check.holder);
    return check;
  }

  private async checkParts(parts: ApiKeyParts, fingerprint: string): Promise<KeyCheck> {
    const { keyPrefix } = parts;
    await newsThatArrived();
    const recalled = this.memory.recall(keyPrefix);
    const record = recalled ?? (await this.memory.read(keyPrefix, () => this.keys.findPresented(keyPrefix)));
    const holder = record && this.holderOf(record);
    if (record === null || holder === null) return refused;
    const verdict = await this.judge(fingerprint, parts, record);
    if (verdict === 'wrong') return refused;
    if (verdict === 'first') return { holder, outcome: 'first' };
    return { holder, outcome: recalled === undefined ? 'read' : 'remembered' };
  }

  /** The secret, or while its grace lasts the one before the last rotation. */
  private async judge(fingerprint: string, parts: ApiKeyParts, record: PresentedKeyRecord): Promise<SecretVerdict> {
    for (const secret of this.secretsOf(record)) {
      const verdict = await this.checks.judge(fingerprint, parts, secret);
      if (verdict !== 'wrong') return verdict;
    }
    return 'wrong';
  }

  private secretsOf({ secretHash, secretTag, previous }: PresentedKeyRecord): StoredSecret[] {
    const current = { secretHash, secretTag };
    const inGrace = previous !== undefined && previous !== null && previous.expiresAt > this.clock.now();
    return inGrace ? [current, previous] : [current];
  }

  private holderOf(record: PresentedKeyRecord): KeyHolder | null {
    const { organization, creator, scopes, allowedAddresses } = record;
    const alive = record.status === 'active' && (record.expiresAt === undefined || record.expiresAt > this.clock.now());
    if (!alive || organization === undefined || isDisabled(organization)) return null;
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

/** Lets what the database has told already, and lies in its socket, be heard before a remembered key is believed. */
function newsThatArrived(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
