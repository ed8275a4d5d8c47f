import type request from 'supertest';
import type { Stored } from './organization.js';

/** A page in a response. */
export interface ListResponse {
  data: Stored[];
  total: number;
  /** Cursor of the next page; omitted on the last one. */
  nextCursor?: string;
}

/** Reads a list with a query such as `?page=2`. */
type Read = (query: string) => request.Test;

/** Reads one page. */
export async function readPage(read: Read, query = ''): Promise<ListResponse> {
  const response = await read(query).expect(200);
  const body = response.body as ListResponse;
  const expected = ['data', 'total', ...('nextCursor' in body ? ['nextCursor'] : [])];
  expect(Object.keys(body).sort()).toEqual(expected.sort());
  return body;
}

/** The IDs of one page. */
export async function readIds(read: Read, query = ''): Promise<string[]> {
  return (await readPage(read, query)).data.map(({ _id }) => _id);
}

/**
 * Checks a list's pages against the expected IDs: 20 by default, up to 100 on request, every record on exactly one
 * page, nothing past the end, and the same exact total on every page.
 * @param ids at least 21, so that there is a second page, and at most 100
 */
export async function expectPages(read: Read, ids: readonly string[]): Promise<void> {
  expect(ids.length).toBeGreaterThan(20);
  const total = ids.length;
  const pages: [query: string, expected: readonly string[]][] = [
    ['', ids.slice(0, 20)],
    ['?page=2', ids.slice(20, 40)],
    ['?limit=100', ids],
    ['?limit=7', ids.slice(0, 7)],
    ['?page=2&limit=7', ids.slice(7, 14)],
    ['?page=3&limit=7', ids.slice(14, 21)],
    ['?page=1000000&limit=100', []],
  ];
  for (const [query, expected] of pages) {
    const page = await readPage(read, query);
    expect({ query, ids: page.data.map(({ _id }) => _id), total: page.total }).toEqual({ query, ids: expected, total });
  }
}
