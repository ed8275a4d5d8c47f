import { useInfiniteQuery } from '@tanstack/react-query';
import { pageSize } from './list';

interface ReadPage {
  limit: number;
  cursor: string | undefined;
}

/**
 * Reads a list with a cursor, page by page.
 *
 * @returns the query of all entries that were read, and the properties of `LoadMore`
 */
export function usePages<Entry>(
  queryKey: readonly unknown[],
  read: (page: ReadPage, signal: AbortSignal) => Promise<{ data: Entry[]; nextCursor?: string }>,
  caching: { placeholderData?: undefined; staleTime?: number; gcTime?: number } = {},
) {
  const { hasNextPage, fetchNextPage, isFetchingNextPage, ...query } = useInfiniteQuery({
    queryKey,
    queryFn: ({ pageParam, signal }) => read({ limit: pageSize, cursor: pageParam || undefined }, signal),
    initialPageParam: '',
    getNextPageParam: ({ nextCursor }) => nextCursor,
    select: ({ pages }) => ({ data: pages.flatMap(({ data }) => data) }),
    ...caching,
  });
  return { query, more: { hasNextPage, fetchNextPage, isFetchingNextPage } };
}
