import { keepNewest } from '../common/keep-newest.js';
import { UnchangedReads } from './unchanged-reads.js';

/**
 * Remembers what was read of the records of one collection, by their ids, for as long as no change of them can be missed. What
 * was not found is not remembered: it may be made the next moment.
 */
export class RecordMemory<T> {
  /** The oldest goes first. */
  private readonly values = new Map<string, T>();
  private readonly reads: UnchangedReads;

  /**
   * @param isCurrent tells whether changes are followed at this moment
   * @param most how many records are remembered
   */
  constructor(
    private readonly isCurrent: () => boolean,
    private readonly most: number,
  ) {
    this.reads = new UnchangedReads(isCurrent);
  }

  /** A record as it is, or undefined where it must be read. */
  recall(id: string): T | undefined {
    return this.isCurrent() ? this.values.get(id) : undefined;
  }

  /** Reads records and remembers them by these ids, unless something changed meanwhile. */
  async read(idOf: (record: T) => string, find: () => Promise<readonly T[]>): Promise<readonly T[]> {
    const { found, holds } = await this.reads.read(find);
    if (holds()) for (const record of found) keepNewest(this.values, idOf(record), record, this.most);
    return found;
  }

  /** A record was changed. */
  forget(id: string): void {
    this.reads.changed();
    this.values.delete(id);
  }

  /** Changes may have been missed. */
  forgetAll(): void {
    this.reads.changed();
    this.values.clear();
  }
}
