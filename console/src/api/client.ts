import { keepPreviousData, MutationCache, QueryClient } from '@tanstack/react-query';
import { texts } from '../texts';
import { client } from './generated/client.gen';
import type { ErrorEnvelope, FieldProblem } from './generated/types.gen';

/** A failed call, with what the error envelope says. Calls without a response have no `status`. */
export class ApiError extends Error {
  constructor(
    message: string,
    readonly status?: number,
    readonly traceId?: string,
    readonly details: readonly FieldProblem[] = [],
  ) {
    super(message);
  }
}

client.interceptors.error.use((error, response: Response | undefined) => {
  if (response === undefined) return new ApiError(texts.unreachable);
  const envelope = typeof error === 'object' ? (error as Partial<ErrorEnvelope> | null) : null;
  const message = envelope?.message ?? texts.unexpected(response.status);
  return new ApiError(message, response.status, envelope?.traceId, envelope?.details);
});

/** Repeats a read once if the server is unreachable or unavailable. */
function isWorthRetrying(failures: number, error: Error): boolean {
  return failures < 1 && error instanceof ApiError && (error.status === undefined || error.status === 503);
}

/** Every change reads the shown data again, without waiting for it. */
export const queryClient: QueryClient = new QueryClient({
  defaultOptions: { queries: { retry: isWorthRetrying, staleTime: 10_000, placeholderData: keepPreviousData } },
  mutationCache: new MutationCache({ onSuccess: () => void queryClient.invalidateQueries() }),
});
// Not the name of one organization while another one is loading.
queryClient.setQueryDefaults([{ _id: 'getOrganization' }], { staleTime: 60_000, placeholderData: undefined });
