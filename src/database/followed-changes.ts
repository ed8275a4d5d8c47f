import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import type { Clock } from '../common/clock.js';
import type { ChangeWatch, Follower } from './change-watch.js';
import { CountCache } from './count-cache.js';
import { DatabaseService } from './database.service.js';
import { RecordChanges } from './record-changes.js';
import { RecordMemory } from './record-memory.js';

interface Following {
  readonly collections: readonly string[];
  readonly follower: Follower;
  readonly onlyLate: boolean;
}

/** The one watch of this process, shared by all that remember records: each stream costs the database a look at every write. */
@Injectable()
export class FollowedChanges implements OnApplicationShutdown {
  private readonly followings: Following[] = [];
  private watch: ChangeWatch | undefined;
  private ended = false;

  constructor(
    private readonly database: DatabaseService,
    private readonly changes: RecordChanges,
  ) {}

  /**
   * Has somebody told of the changes of some collections, or only of late writes; to be asked before they begin to be
   * followed.
   */
  follow(collections: readonly string[], follower: Follower, { onlyLate = false } = {}): void {
    this.followings.push({ collections, follower, onlyLate });
  }

  /** A memory of the records of a collection; to be asked before its changes begin to be followed. */
  memoryOf<T>(collection: string, most: number): RecordMemory<T> {
    const memory = new RecordMemory<T>(() => this.isCurrent(), most);
    this.follow([collection], {
      changed: ({ id }) => memory.forget(id),
      lost: () => memory.forgetAll(),
      told: () => undefined,
    });
    this.changes.onChange((id) => memory.forget(id));
    return memory;
  }

  /** A cache of totals of a collection; to be asked before its changes begin to be followed. */
  countCacheOf(collection: string, clock: Clock): CountCache {
    const cache = new CountCache(clock, () => this.isCurrent());
    const forget = () => cache.forgetAll();
    this.follow([collection], { changed: forget, lost: forget, told: () => undefined }, { onlyLate: true });
    return cache;
  }

  /** Begins to follow; until the database tells of changes, nothing may be remembered. */
  start(): void {
    if (this.ended) return;
    const each = (tell: (follower: Follower) => void) => this.followings.forEach(({ follower }) => tell(follower));
    const follower: Follower = {
      changed: (change) => {
        for (const { collections, follower } of this.followings)
          if (collections.includes(change.collection)) follower.changed(change);
      },
      lost: () => each((follower) => follower.lost()),
      told: (following, reason) => each((follower) => follower.told(following, reason)),
    };
    this.watch = this.database.watch(this.collections(false), follower, this.collections(true));
  }

  private collections(late: boolean): string[] {
    const followed = this.followings.filter(({ onlyLate }) => onlyLate === late);
    return [...new Set(followed.flatMap(({ collections }) => collections))];
  }

  /** True while no change of more than 0.3 s ago can have been missed. */
  isCurrent(): boolean {
    return this.watch?.isCurrent() === true;
  }

  async onApplicationShutdown(): Promise<void> {
    const { watch } = this;
    this.ended = true;
    this.watch = undefined;
    await watch?.close();
  }
}
