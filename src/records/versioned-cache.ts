import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Tenant } from '../access/request-context.js';
import { SharedWork } from '../http/shared-work.js';

/** How many organizations compute results of a kind at the same time. */
const maxRunning = 2;
/** How many results of an organization wait to be computed: as many as it can have requests at the same time by default. */
const maxWaiting = 16;
/** An expired result is only removed if it is read or displaced, and a small one takes more memory than its size. */
const maxResults = 1_000;
/** Results expire after this time, because an operator may have changed a record by hand, or a failover undone a write. */
const ttl = 60_000;

/**
 * Computes results from many records of an organization, once for all requests that wait for it, and keeps each until the
 * version of the records has changed.
 */
export class VersionedCache<T extends { readonly length: number }> {
  /** Results with the versions that they are at least as new as. */
  private readonly cached: LRUCache<string, { readonly versions: ReadonlySet<string>; readonly result: T }>;
  private readonly work = new SharedWork<T>(maxRunning, maxWaiting);
  /** The versions of the requests that wait until their work starts. */
  private readonly waiting = new Map<string, Set<string>>();

  /** @param maxSize the sizes of all results together, such as rows or bytes */
  constructor(maxSize: number) {
    this.cached = new LRUCache({ ttl, max: maxResults, maxSize, sizeCalculation: ({ result }) => result.length + 1 });
  }

  /**
   * Returns a result that is at least as new as a version, which was read before this call.
   * @param query identifies the result within the organization
   */
  async get(
    { organization: { id } }: Tenant,
    query: readonly unknown[],
    version: readonly string[],
    compute: () => Promise<T>,
  ): Promise<T> {
    const key = JSON.stringify([id, ...query]);
    const find = (versions: Iterable<string>) => {
      const cached = this.cached.get(key);
      return [...versions].every((each) => cached?.versions.has(each)) ? cached?.result : undefined;
    };
    const own = hash('sha256', JSON.stringify(version), 'base64url');
    const versions = (this.waiting.get(key) ?? new Set()).add(own);
    const current = find([own]);
    if (current !== undefined) return current;
    const result = this.work.run(id, key, async () => {
      this.waiting.delete(key);
      const shared = find(versions);
      if (shared !== undefined) return shared;
      const computed = await compute();
      this.cached.set(key, { versions, result: computed });
      return computed;
    });
    // After the call, which rejects too many; the work starts later.
    this.waiting.set(key, versions);
    return result;
  }
}
