import { keepPreviousData, MutationCache, QueryClient } from '@tanstack/react-query';
import { client } from './generated/client.gen';
import { formatCount } from '../components/number';
import type { ErrorEnvelope, FieldProblem } from './generated/types.gen';

const lockedOut =
  'A new password does not shorten the wait. If you forgot yours, ask another super admin for a password link; for a lost phone, to reset your second factor. Without another one, the operator runs “npm run admin -- reset-password --email” or “npm run admin -- reset-second-factor” with your email.';

/** A failed call, with what the error envelope says. Calls without a response have no `status`. */
export class ApiError extends Error {
  readonly advice?: string;

  constructor(
    message: string,
    readonly status?: number,
    readonly traceId?: string,
    readonly details: readonly FieldProblem[] = [],
    readonly code?: number,
  ) {
    super(withLabels(message));
    if (code === 42902) this.advice = lockedOut;
  }
}

/** The labels in the forms of the fields that messages of the server name. */
const fieldLabels: Readonly<Record<string, string>> = {
  actorId: 'User ID',
  allowedAddresses: 'Allowed IP addresses',
  currentPassword: 'Current password',
  endDate: 'End',
  expiresAt: 'Expires at',
  organizationId: 'Organization',
  startDate: 'Start',
};

/** Replaces the API's names of fields by their labels, and words for programmers. */
export const withLabels = (message: string): string =>
  message
    .replace('must be an ID of 24 hexadecimal digits', 'is not the ID of a record: the link is incomplete')
    .replace(/\b[a-z]+[A-Z]\w*/g, (name) => (fieldLabels[name] ? `“${fieldLabels[name]}”` : name));

client.interceptors.error.use((error, response: Response | undefined) => {
  if (response === undefined) return new ApiError('The server is unreachable. Check your connection.');
  const envelope = typeof error === 'object' ? (error as Partial<ErrorEnvelope> | null) : null;
  const reason = envelope?.message ?? `The server responded with status ${response.status}. Try again.`;
  const wait = response.status === 429 ? Number(response.headers.get('Retry-After')) : 0;
  const minutes = Math.ceil(wait / 60);
  const pause = minutes > 120 ? formatCount(Math.ceil(minutes / 60), 'hour') : formatCount(minutes, 'minute');
  const message = wait > 0 ? `${reason}. Try again in ${pause}.` : reason;
  return new ApiError(message, response.status, envelope?.traceId, envelope?.details, envelope?.error);
});

/** Returns whether no read can succeed at present: the server is unreachable, or says that it is unavailable. */
export const isOutage = (error: unknown): error is ApiError =>
  error instanceof ApiError && (error.status === undefined || error.status === 503);

const isWorthRetrying = (failures: number, error: unknown): boolean => failures < 1 && isOutage(error);

/** Every change reads the shown data again, without waiting for it. */
export const queryClient: QueryClient = new QueryClient({
  defaultOptions: {
    queries: {
      retry: isWorthRetrying,
      staleTime: 10_000,
      placeholderData: keepPreviousData,
      // The page returns by itself.
      refetchInterval: ({ state }) => isOutage(state.error) && 5_000,
    },
  },
  mutationCache: new MutationCache({
    onSuccess: (_data, _variables, _context, { meta }) => {
      if (meta?.['isRead'] !== true) void queryClient.invalidateQueries();
    },
  }),
});
// Not the name of one organization, season, key or endpoint while another one is loading.
// Read often, so that what someone else changes does not stay on the screen.
for (const _id of ['getOrganization', 'getOrganizationSeason', 'getApiKey', 'getAnyWebhookEndpoint'])
  queryClient.setQueryDefaults([{ _id }], { refetchInterval: 10_000, placeholderData: undefined });
