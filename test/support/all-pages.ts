import type request from 'supertest';
import { type ListResponse, readPage } from './paging.js';

/** Reads a list from its beginning to its end by cursors; between two pages `between` may write something. */
export async function readAllPages(
  read: (query: string) => request.Test,
  filters: Record<string, string> = {},
  between: (page: number) => Promise<unknown> = () => Promise.resolve(),
): Promise<ListResponse[]> {
  const pages: ListResponse[] = [];
  for (let cursor: string | undefined; pages.length < 500;) {
    const page = await readPage(read, queryOf({ ...filters, ...(cursor !== undefined && { cursor }) }));
    pages.push(page);
    cursor = page.nextCursor;
    if (cursor === undefined) return pages;
    await between(pages.length);
  }
  throw new Error('The list has no end');
}

/** Parameters as they stand in an address. */
export function queryOf(parameters: Record<string, string>): string {
  return `?${new URLSearchParams(parameters).toString()}`;
}

/** The ids of all pages. */
export function idsOf(pages: readonly ListResponse[]): string[] {
  return pages.flatMap(({ data }) => data.map(({ _id }) => _id));
}
