import { keepPreviousData, MutationCache, QueryClient } from '@tanstack/react-query';
import { ApiError } from './client';

/** Repeats a read once if the server is unreachable or unavailable. */
function isWorthRetrying(failures: number, error: Error): boolean {
  return failures < 1 && error instanceof ApiError && (error.status === undefined || error.status === 503);
}

/** Every change reads the shown data again. */
export const queryClient: QueryClient = new QueryClient({
  defaultOptions: { queries: { retry: isWorthRetrying, staleTime: 10_000, placeholderData: keepPreviousData } },
  mutationCache: new MutationCache({ onSuccess: () => queryClient.invalidateQueries() }),
});
