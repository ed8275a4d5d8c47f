import { hash } from 'node:crypto';
import { invalidField } from '../errors/service-error.js';
import type { ListPage, ListQuery } from '../http/paging.js';
import { isRecordId } from '../validation/fields.js';
import type { CursorPosition, PageStart, StoredPage } from './list-queries.js';

/** The time of the first page, and the time and the ID of the last record. */
const format = /^(-?\d{1,15})\.(-?\d{1,15})\.([0-9a-f]{24})?$/;
const checksumLength = 16;

/** Returns a position in base64url, with a checksum over it and a text that identifies the list. */
export function formatCursor(position: string, list: string): string {
  const checksum = hash('sha256', position + list, 'hex').slice(0, checksumLength);
  return Buffer.from(`${position}.${checksum}`).toString('base64url');
}

/** Returns the position of a cursor of the list; undefined for any other cursor. */
export function parseCursor(cursor: string, list: string): string | undefined {
  const position = Buffer.from(cursor, 'base64url')
    .toString('latin1')
    .slice(0, -checksumLength - 1);
  // Formatting it again verifies the checksum and every character, as decoding ignores characters outside base64url.
  return formatCursor(position, list) === cursor ? position : undefined;
}

/**
 * One page of a list, requested by number or by a keyset cursor. A cursor is the position in base64url, with a hash of
 * the position, the organization, the list and the filters, so that a cursor of another list is rejected. It grants no
 * access: every query names its organization.
 */
export class CursorPage<Q extends ListQuery> {
  /** The time of the first page. `filter=live` and `filter=upcoming` use it on every page that follows. */
  readonly asOf: Date;
  readonly start: PageStart;
  readonly filters: Omit<Q, keyof ListQuery>;
  private readonly list: string;

  /**
   * @param query the validated query, of which all but `page`, `limit` and `cursor` are filters
   * @param list the name of the list
   * @throws ServiceError 40001 for a cursor that is not from this list
   */
  constructor(organizationId: string | undefined, query: Q, list: string, now: Date) {
    const { page = 1, limit, cursor, ...filters } = query;
    const sentFilters = Object.entries(filters).filter(([, value]) => value !== undefined);
    const withLowerCaseIds = (_name: string, value: unknown) => (isRecordId(value) ? value.toLowerCase() : value);
    // Any change to this text invalidates the cursors that partners keep.
    this.list = JSON.stringify([organizationId, `/${list.toLowerCase()}`, sentFilters.sort()], withLowerCaseIds);
    const { asOf, after } = cursor === undefined ? { asOf: now } : this.parse(cursor);
    this.asOf = asOf;
    this.filters = filters;
    this.start = after === undefined ? { page, limit } : { after, limit };
  }

  /** Builds the response, with `nextCursor` if there is another page. */
  toResponse<T, U>({ data, total, end }: StoredPage<T>, map: (record: T) => U): ListPage<U> {
    return { data: data.map(map), total, ...this.next(end) };
  }

  /** Returns the cursor of the page after a position; empty on the last page. */
  next(end: CursorPosition | undefined): { nextCursor?: string } {
    return end === undefined ? {} : { nextCursor: this.format(this.asOf, end) };
  }

  private format(asOf: Date, { at, id = '' }: CursorPosition): string {
    return formatCursor(`${asOf.getTime()}.${at.getTime()}.${id}`, this.list);
  }

  private parse(cursor: string): { asOf: Date; after: CursorPosition } {
    const [, first, last, id] = format.exec(parseCursor(cursor, this.list) ?? '') ?? [];
    const after = { at: new Date(Number(last)), ...(id !== undefined && { id }) };
    if (first !== undefined) return { asOf: new Date(Number(first)), after };
    throw invalidField('cursor', 'cursor must be the nextCursor of a page of this list, sent with the same filters');
  }
}
