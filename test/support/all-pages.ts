import type request from 'supertest';
import { type ListResponse, readPage } from './paging.js';

/** Reads all pages of a list by cursor, and runs `between` after each. */
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

/** Returns parameters as a query string. */
export function queryOf(parameters: Record<string, string>): string {
  return `?${new URLSearchParams(parameters).toString()}`;
}

/** The IDs of all pages. */
export function idsOf(pages: readonly ListResponse[]): string[] {
  return pages.flatMap(({ data }) => data.map(({ _id }) => _id));
}
