import { Injectable, Logger } from '@nestjs/common';
import { keepNewest } from '../common/keep-newest.js';
import { Metrics } from '../common/metrics/metrics.js';
import type { RecordChange } from '../database/change-watch.js';
import { FollowedChanges } from '../database/followed-changes.js';
import { RecordChanges } from '../database/record-changes.js';
import { UnchangedReads } from '../database/unchanged-reads.js';
import type { PresentedKeyRecord } from './presented-keys.repository.js';

const rememberedKeys = 10_000;
/** A key that is seen once or twice is not worth remembering. */
const worthRemembering = 3;
/** Fields that do not decide whether a key may be used, with the parts of an array that a change names. */
const unrelated = /^(lastUsedAt|recentLogins)(\.|$)/;
const watched = ['apiKeys', 'organizations', 'users'];

/**
 * Remembers keys as they were read, with their organization and its creator, for as long as no change of them can be
 * missed: the database tells of each change, and while it does not, nothing is remembered and nothing recalled.
 */
@Injectable()
export class KeyMemory {
  private readonly logger = new Logger('KeyMemory');
  /** By prefix; the oldest goes first. */
  private readonly keys = new Map<string, PresentedKeyRecord>();
  /** The prefixes of the keys that a key, an organization or a user has a part in. */
  private readonly prefixesOf = new Map<string, Set<string>>();
  /** How often a key was read, up to where it is worth remembering; the oldest goes first. */
  private readonly sightings = new Map<string, number>();
  private readonly reads = new UnchangedReads(() => this.isCurrent());
  private unfollowed: string | undefined;

  constructor(
    private readonly followed: FollowedChanges,
    changes: RecordChanges,
    metrics: Metrics,
  ) {
    metrics.registerGauges({ ffapi_key_changes_followed: () => this.isCurrent() });
    changes.onChange((id) => this.forget(id));
    followed.follow(watched, {
      changed: (change) => this.heed(change),
      lost: () => this.forgetAll(),
      told: (following, reason) => this.report(following, reason),
    });
  }

  /** Why changes cannot be followed; undefined where they are, or it is not known yet. */
  get whyUnfollowed(): string | undefined {
    return this.unfollowed;
  }

  /** A key as it is, or undefined where it must be read. */
  recall(keyPrefix: string): PresentedKeyRecord | undefined {
    return this.isCurrent() ? this.keys.get(keyPrefix) : undefined;
  }

  /** Reads a key, and from its third sighting on remembers it, unless something changed meanwhile. */
  async read<T extends PresentedKeyRecord | null>(keyPrefix: string, find: () => Promise<T>): Promise<T> {
    const { found: record, holds } = await this.reads.read(find);
    if (record === null || this.sight(keyPrefix) < worthRemembering) return record;
    if (holds()) this.remember(keyPrefix, record);
    return record;
  }

  /** Forgets every key that belongs to a changed key, organization or user. */
  private forget(id: string): void {
    this.reads.changed();
    for (const keyPrefix of this.prefixesOf.get(id) ?? []) this.drop(keyPrefix);
  }

  private heed({ id, fields }: RecordChange): void {
    // When a key was used is written every minute, and from where its organization's creator logged in once a day.
    const isUnrelated = fields !== undefined && fields.length > 0 && fields.every((field) => unrelated.test(field));
    if (!isUnrelated) this.forget(id);
  }

  private forgetAll(): void {
    this.reads.changed();
    this.keys.clear();
    this.prefixesOf.clear();
  }

  private sight(keyPrefix: string): number {
    const times = Math.min(worthRemembering, (this.sightings.get(keyPrefix) ?? 0) + 1);
    keepNewest(this.sightings, keyPrefix, times, rememberedKeys);
    return times;
  }

  private remember(keyPrefix: string, record: PresentedKeyRecord): void {
    const parts = partsOf(record);
    // What is missing may come, and its id would lead to no key.
    if (parts === undefined) return;
    this.drop(keyPrefix);
    for (const id of parts) this.prefixesOf.set(id, (this.prefixesOf.get(id) ?? new Set()).add(keyPrefix));
    const oldest = keepNewest(this.keys, keyPrefix, record, rememberedKeys);
    if (oldest !== undefined) this.unlink(...oldest);
  }

  private drop(keyPrefix: string): void {
    const record = this.keys.get(keyPrefix);
    if (record === undefined) return;
    this.keys.delete(keyPrefix);
    this.unlink(keyPrefix, record);
  }

  private unlink(keyPrefix: string, record: PresentedKeyRecord): void {
    for (const id of partsOf(record) ?? []) {
      const prefixes = this.prefixesOf.get(id);
      prefixes?.delete(keyPrefix);
      if (prefixes?.size === 0) this.prefixesOf.delete(id);
    }
  }

  private isCurrent(): boolean {
    return this.followed.isCurrent();
  }

  private report(following: boolean, reason: string | undefined): void {
    this.unfollowed = following ? undefined : (reason ?? 'unknown');
    if (following) this.logger.log('The changes of keys are followed: keys are remembered');
    else this.logger.warn('The changes of keys cannot be followed: each request reads its key', { reason });
  }
}

/** The ids of the key, its organization and the organization's creator; undefined where one of them is missing. */
function partsOf({ _id, organization, creator }: PresentedKeyRecord): string[] | undefined {
  if (organization === undefined || creator === undefined) return undefined;
  return [_id, organization._id, creator._id].map(String);
}
