import { hash } from 'node:crypto';
import { type Model, mongo, type QueryFilter } from 'mongoose';
import { offsetOf, type Page } from '../http/paging.js';
import { SharedWork } from '../http/shared-work.js';
import type { OperationOptions } from './plugins/hooks.js';
import { apostrophes } from '../validation/text.js';
import { type RecordId, toRecordId } from './record.js';

/** A total order: by a time of the records, then by ID. */
export interface ListOrder {
  readonly by: 'createdAt' | 'startDate' | 'at' | 'expiresAt';
  readonly direction: 1 | -1;
  /** Defaults to 1. */
  readonly idDirection?: 1 | -1;
}

/** Skipping this many records costs more than counting them. */
const longOffset = 10_000;

/**
 * Where a page ended: every record up to `at` was read; with `id`, others with the same time follow after that record.
 * Records that are created later with exactly that time may be skipped; existing ones are not.
 */
export interface CursorPosition {
  readonly at: Date;
  readonly id?: string;
}

/** The start of a page: its number, or the end of the previous page. */
export type PageStart = { readonly limit: number } & ({ readonly page: number } | { readonly after: CursorPosition });

type CountOptions = Pick<OperationOptions, 'allTenants' | 'withDeleted'> & {
  /** Identifies the filter within the organization, if it differs for each request, such as by the time. */
  readonly list?: object;
};

export type PageOptions = PageStart & {
  /** Defaults to the order of creation. */
  readonly order?: ListOrder;
} & CountOptions;

/** A page of records. `end` is its last position if there are more. */
export interface StoredPage<T> extends Page<T> {
  readonly end?: CursorPosition;
}

/** Reads one page of the records that match. Counts all that match, unless the page already determines the total. */
export async function readPage<T extends { _id: RecordId }, R>(
  model: Model<T>,
  filter: QueryFilter<T>,
  projection: Readonly<Record<string, number>>,
  request: PageOptions,
): Promise<StoredPage<R>> {
  const total = () => countMatching(model, filter, request);
  const offset = 'page' in request ? offsetOf(request) : 0;
  // Skipping reads all earlier records, so count first and return early if the page is past the end.
  const counted = offset >= longOffset ? await total() : undefined;
  if (counted !== undefined && offset >= counted) return { data: [], total: counted };
  const page = await readPageWithoutTotal<T, R>(model, filter, projection, request);
  const isLast = 'page' in request && page.end === undefined && (page.data.length > 0 || offset === 0);
  return { ...page, total: counted ?? (isLast ? offset + page.data.length : await total()) };
}

/** Reads one page of the records that match, without counting them. */
export async function readPageWithoutTotal<T extends { _id: RecordId }, R>(
  model: Model<T>,
  filter: QueryFilter<T>,
  projection: Readonly<Record<string, number>>,
  request: PageOptions,
): Promise<Omit<StoredPage<R>, 'total'>> {
  const { limit, order = { by: 'createdAt', direction: 1 } } = request;
  const isByNumber = 'page' in request;
  const ranges = isByNumber ? [{ condition: {}, sort: sortOf(order) }] : rangesAfter(request.after, order);
  // One more than requested shows whether there is a next page.
  const { allTenants = false, withDeleted = false } = request;
  const options = { limit: limit + 1, skip: isByNumber ? offsetOf(request) : 0, allTenants, withDeleted };
  const found = await Promise.all(
    ranges.map(({ condition, sort }) =>
      model
        .find({ ...filter, $and: [...(filter.$and ?? []), condition] }, projection, { ...options, sort })
        .lean<R[]>()
        .exec(),
    ),
  );
  const records = found.flat();
  const end = endOf(records as unknown as Ordered[], limit, order);
  return { data: records.slice(0, limit), ...(end && { end }) };
}

/** Returns the stages that read a page with the total. */
export const paged = (page: readonly object[]) => [
  { $facet: { data: page, all: [{ $count: 'total' }] } },
  { $project: { data: 1, total: { $sum: '$all.total' } } },
];

/** Matches texts that contain a text, ignoring case, accents, Unicode form and kind of apostrophe. */
export function containing(text: string): { readonly $regex: string; readonly $options: 'i' } {
  const patterns = Array.from(text.normalize('NFD').replace(/\p{M}/gu, ''), (character) => {
    if (apostrophes.includes(character)) return `[${apostrophes}]`;
    accented ??= groupLetters();
    const letters = accented.get(character.toLowerCase()) ?? [];
    return `${letters.length > 1 ? `[${letters.join('')}]` : literal(character)}\\p{M}*`;
  });
  return { $regex: patterns.join(''), $options: 'i' };
}

/** Matches a text, ignoring case. */
export function equalTo(text: string): { readonly $regex: string; readonly $options: 'i' } {
  return { $regex: `^${literal(text)}$`, $options: 'i' };
}

const literal = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');

/** Each letter with its accented ones. Built by the first search, because it takes 6 ms. */
let accented: Map<string, string[]> | undefined;

function groupLetters(): Map<string, string[]> {
  const characters = Array.from({ length: 0x1f00 }, (_, code) => String.fromCodePoint(code));
  const letters = characters.filter((character) => /\p{L}/u.test(character));
  // Also by case, because the lower case of İ is a letter with an accent, which the option `i` does not find.
  return Map.groupBy(letters, (letter) => letter.normalize('NFD').charAt(0).toLowerCase());
}

/** Each list is a lane, in which one count runs and one waits, so none is rejected. */
const counts = new SharedWork<number>(Infinity, 1);

/**
 * Counts the records that match. Requests that want the same count while it runs share the next one: otherwise many
 * requests for the total of a large list would keep the database busy until all of them time out.
 */
export function countMatching<T>(
  model: Model<T>,
  filter: QueryFilter<T>,
  { allTenants = false, withDeleted = false, list = filter }: CountOptions = {},
): Promise<number> {
  const { organizationId } = filter as { organizationId?: unknown };
  // A hash, because a filter can name thousands of teams, and lanes are remembered.
  const named = { model: model.modelName, organizationId, withDeleted, list };
  const lane = hash('sha256', mongo.BSON.serialize(named), 'base64url');
  // Without the hint, counting all records would read every document.
  const hint = Object.keys(filter).length === 0 && { hint: { _id: 1 } };
  return counts.run(lane, 'count', () => model.countDocuments(filter, { allTenants, withDeleted, ...hint }).exec());
}

/**
 * Returns the index ranges after a position, each with the order of the index. MongoDB would read an `$or` of both from
 * the beginning of the list.
 */
function rangesAfter({ at, id }: CursorPosition, order: ListOrder) {
  const { by, direction, idDirection = 1 } = order;
  const later = { condition: { [by]: beyond(at, direction) }, sort: sortOf(order) };
  if (id === undefined) return [later];
  // If the sort named the time, MongoDB would read all records with that time and sort them in memory.
  return [{ condition: { [by]: at, _id: beyond(toRecordId(id), idDirection) }, sort: { _id: idDirection } }, later];
}

function beyond(value: Date | RecordId, direction: 1 | -1): object {
  return direction === 1 ? { $gt: value } : { $lt: value };
}

function sortOf({ by, direction, idDirection = 1 }: ListOrder): Record<string, 1 | -1> {
  return { [by]: direction, _id: idDirection };
}

type Ordered = { readonly _id: unknown } & Readonly<Record<ListOrder['by'], Date>>;

function endOf(records: readonly Ordered[], limit: number, { by }: ListOrder): CursorPosition | undefined {
  const last = records[limit - 1];
  const next = records[limit];
  if (last === undefined || next === undefined) return undefined;
  const isAmongEquals = next[by].getTime() === last[by].getTime();
  return { at: last[by], ...(isAmongEquals && { id: String(last._id) }) };
}
