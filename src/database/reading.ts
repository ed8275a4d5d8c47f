import type { Model, QueryFilter } from 'mongoose';
import { offsetOf, type Page } from '../common/http/paging.js';
import { countRecords, findRecords } from './operations.js';
import { type StoredRecord, toRecordId } from './record.js';

/** No query may work longer on the database, in milliseconds. */
export const queryTimeLimit = 3_000;

/** By a time of the records, and by the id among those of the same one: a total order. */
export interface ListOrder {
  readonly by: 'createdAt' | 'startDate';
  readonly direction: 1 | -1;
}

/** So many entries before a page cost more to read than to count. */
const farBehind = 10_000;

/** The order of creation. */
export const creationOrder: ListOrder = { by: 'createdAt', direction: 1 };

/**
 * A place in a list: behind all records of a time, or behind one of them where more of the same time follow. What
 * is written later at that very time may be passed over; what stood there before is not.
 */
export interface Position {
  readonly at: Date;
  readonly id?: string;
}

/** Where a page begins: at its number, or at the place where the page before ended. */
export type PageStart = { readonly limit: number } & ({ readonly page: number } | { readonly behind: Position });

/** A page of a list in its order. */
export type PageRequest = PageStart & {
  readonly order: ListOrder;
  /** How many match, for those who know it without counting. */
  readonly total?: () => Promise<number>;
};

/** A page of records, and where it ends if there is more. */
export interface StoredPage<T> extends Page<T> {
  readonly end?: Position;
}

/** One page of the records that match, as plain objects, and how many match in all. */
export async function readPage<T extends StoredRecord, R>(
  model: Model<T>,
  filter: QueryFilter<T>,
  projection: Readonly<Record<string, number>>,
  request: PageRequest,
): Promise<StoredPage<R>> {
  const { limit, order, total = () => countMatching(model, filter) } = request;
  // What lies before a page by number is read, also where nothing lies behind it: that would be for nothing.
  const isFar = 'page' in request && offsetOf(request) >= farBehind;
  const first = isFar ? await total() : undefined;
  if (isFar && first !== undefined && offsetOf(request) >= first) return { data: [], total: first };
  // One more than asked for, to know whether there is a next page.
  const part = { projection, maxTimeMS: queryTimeLimit, limit: limit + 1 };
  const read = ({ condition, sort }: Place, skip = 0): Promise<R[]> =>
    findRecords(model, allOf(filter, condition), { ...part, sort, skip });
  const parts =
    'page' in request
      ? [read({ condition: {}, sort: sortOf(order) }, offsetOf(request))]
      : placesBehind(request.behind, order).map((place) => read(place));
  const [counted, ...found] = await Promise.all([first ?? total(), ...parts]);
  const records = found.flat();
  const end = endOf(records as unknown as Ordered[], limit, order);
  return { data: records.slice(0, limit), total: counted, ...(end && { end }) };
}

/** How many records match. */
export function countMatching<T>(model: Model<T>, filter: QueryFilter<T>): Promise<number> {
  // Without the hint the count of everything would read every document.
  const counting = Object.keys(filter).length === 0 ? { hint: { _id: 1 } } : {};
  return countRecords(model, filter, { maxTimeMS: queryTimeLimit, ...counting });
}

/** A part of a list, with the order that the index has there. */
interface Place {
  readonly condition: object;
  readonly sort: Record<string, 1 | -1>;
}

/**
 * What lies behind a position, in order. Each is one range of the index; an `$or` of both would be read from
 * the beginning.
 */
function placesBehind({ at, id }: Position, order: ListOrder): Place[] {
  const { by, direction } = order;
  const later = { condition: { [by]: direction === 1 ? { $gt: at } : { $lt: at } }, sort: sortOf(order) };
  if (id === undefined) return [later];
  // Sorted by the time, too, which they share, the database would read all of them and sort.
  return [{ condition: { [by]: at, _id: { $gt: toRecordId(id) } }, sort: { _id: 1 } }, later];
}

function sortOf({ by, direction }: ListOrder): Place['sort'] {
  return { [by]: direction, _id: 1 };
}

function allOf<T>(filter: QueryFilter<T>, place: object): QueryFilter<T> {
  if (Object.keys(place).length === 0) return filter;
  const { $and = [] } = filter as { $and?: object[] };
  return { ...filter, $and: [...$and, place] };
}

type Ordered = { readonly _id: unknown } & Readonly<Record<ListOrder['by'], Date>>;

function endOf(records: readonly Ordered[], limit: number, { by }: ListOrder): Position | undefined {
  const last = records[limit - 1];
  const next = records[limit];
  if (last === undefined || next === undefined) return undefined;
  const isAmongEquals = next[by].getTime() === last[by].getTime();
  return { at: last[by], ...(isAmongEquals && { id: String(last._id) }) };
}
