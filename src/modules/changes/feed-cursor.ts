import { formatCursor, parseCursor } from '../../database/cursor-page.js';
import { invalidField } from '../../common/errors/service-error.js';
import type { ChangeKind } from './change.schema.js';

/** How far a reader has followed the feed. */
interface FeedPosition {
  /** When the reader was last up to date, or read its first page, in milliseconds. */
  readonly asOf: number;
  /** The position of the last row, or the end of everything up to a cluster time. */
  readonly position: string;
}

const format = /^(\d{1,15})\.([0-9a-f]{16}(?:~|\.[a-zA-Z]+\.[0-9a-f]{24}))$/;

/** Returns the position after all rows of a cluster time. */
export function endOf(time: string): string {
  return `${time}~`;
}

/** The cursors of one organization's feed with some kinds. */
export class FeedCursors {
  private readonly list: string;

  constructor(organizationId: string, kinds: readonly ChangeKind[] = []) {
    this.list = JSON.stringify([organizationId, '/changes', [...new Set(kinds)].sort()]);
  }

  format({ asOf, position }: FeedPosition): string {
    return formatCursor(`${asOf}.${position}`, this.list);
  }

  /** @throws ServiceError 40001 for a cursor of another organization or with other kinds */
  parse(cursor: string): FeedPosition {
    const [, asOf, position] = format.exec(parseCursor(cursor, this.list) ?? '') ?? [];
    if (asOf !== undefined && position !== undefined) return { asOf: Number(asOf), position };
    throw invalidField('cursor', 'cursor must be a nextCursor of this organization, sent with the same kinds');
  }
}
