import { useQueryClient } from '@tanstack/react-query';
import { useSyncExternalStore } from 'react';
import { type ApiError, isOutage } from '../api/client';
import { Failure } from '../components/ui';

/** Says once that the server is down, whatever the page reads from it. Reads are repeated until it is back. */
export function Outage() {
  const client = useQueryClient();
  const cache = client.getQueryCache();
  const error = useSyncExternalStore(
    (onChange) => cache.subscribe(onChange),
    () =>
      cache
        .findAll({ type: 'active' })
        .map(({ state }) => state.error)
        .find(isOutage),
  );
  return error && <Failure error={problemOf(error)} onRetry={() => client.refetchQueries({ type: 'active' })} />;
}

const problemOf = ({ message, traceId }: ApiError) => ({
  message,
  advice: 'This page is read again every few seconds, and continues by itself.',
  ...(traceId !== undefined && { traceId }),
});
