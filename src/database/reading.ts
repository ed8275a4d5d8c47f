import type { Model, QueryFilter, SortOrder } from 'mongoose';
import { offsetOf, type Page } from '../common/http/paging.js';
import { countRecords, findRecords } from './operations.js';

/** No query may work longer on the database, in milliseconds. */
export const queryTimeLimit = 3_000;

/** The order of creation, total by the id. */
export const creationOrder = { createdAt: 1, _id: 1 } as const;

/** A page of a sorted list. */
export interface PageRequest {
  readonly page: number;
  readonly limit: number;
  readonly sort: Record<string, SortOrder>;
}

/** One page of the records that match, as plain objects, and how many match in all. */
export async function readPage<T, R>(
  model: Model<T>,
  filter: QueryFilter<T>,
  projection: Readonly<Record<string, number>>,
  request: PageRequest,
): Promise<Page<R>> {
  const { sort, limit } = request;
  // Without the hint the count of everything would read every document.
  const counting = Object.keys(filter).length === 0 ? { hint: { _id: 1 } } : {};
  const [data, total] = await Promise.all([
    findRecords<R>(model, filter, { projection, maxTimeMS: queryTimeLimit, sort, skip: offsetOf(request), limit }),
    countRecords(model, filter, { maxTimeMS: queryTimeLimit, ...counting }),
  ]);
  return { data, total };
}
