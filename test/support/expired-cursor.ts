import { formatCursor } from '../../src/database/cursor-page.js';
import type { FeedRow } from './feed.js';

/** Returns a cursor of the feed from 31 days ago, with these kinds. */
export function expiredCursor(organizationId: string, kinds: readonly FeedRow['kind'][]): string {
  const asOf = Date.now() - 31 * 24 * 3_600_000;
  return formatCursor(`${asOf}.0000000000000000~`, JSON.stringify([organizationId, '/changes', [...kinds].sort()]));
}
