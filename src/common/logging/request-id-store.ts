import { AsyncLocalStorage } from 'node:async_hooks';

const store = new AsyncLocalStorage<string | undefined>();

/** Runs what follows with the request's id at hand for log lines, and for nothing else; undefined: it belongs to no request. */
export function runWithRequestId(requestId: string | undefined, next: () => void): void {
  store.run(requestId, next);
}

/** The id of the request that is being served, if any. */
export function currentRequestId(): string | undefined {
  return store.getStore();
}
