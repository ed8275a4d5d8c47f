import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import type { ChangeWatch, Follower } from './change-watch.js';
import { DatabaseService } from './database.service.js';
import { RecordChanges } from './record-changes.js';
import { RecordMemory } from './record-memory.js';

interface Following {
  readonly collections: readonly string[];
  readonly follower: Follower;
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

  /** Has somebody told of the changes of some collections; to be asked before they begin to be followed. */
  follow(collections: readonly string[], follower: Follower): void {
    this.followings.push({ collections, follower });
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

  /** Begins to follow; until the database tells of changes, nothing may be remembered. */
  start(): void {
    if (this.ended) return;
    const each = (tell: (follower: Follower) => void) => this.followings.forEach(({ follower }) => tell(follower));
    this.watch = this.database.watch([...new Set(this.followings.flatMap(({ collections }) => collections))], {
      changed: (change) => {
        for (const { collections, follower } of this.followings)
          if (collections.includes(change.collection)) follower.changed(change);
      },
      lost: () => each((follower) => follower.lost()),
      told: (following, reason) => each((follower) => follower.told(following, reason)),
    });
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
