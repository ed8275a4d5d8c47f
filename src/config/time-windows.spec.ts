import * as windows from './time-windows.js';

describe('each window is larger than what it waits for', () => {
  const { streamWait, cacheAge, revocation, authenticationAge, teamDeletionWait, teamDeletionEnd } = windows;
  const { writeTimeLimit, socketTimeout, queueWait, responseDeadline, requestEnd, writesVisible } = windows;
  const { clockTolerance, deliveryTurn, deliveryTimeLimit, endpointLease, erasureSettled } = windows;

  it.each([
    ['a cached record outlives an idle read of the change stream', streamWait * 2, cacheAge],
    ['a revoked key writes nothing any more, also in a request that runs', cacheAge + authenticationAge, revocation],
    ['a deletion of a team waits for the caches of other servers', cacheAge * 2, teamDeletionWait],
    ['a deletion of a team ends before it counts as interrupted', requestEnd + clockTolerance, teamDeletionEnd],
    ['the database gives up a write before the driver does', writeTimeLimit, socketTimeout],
    ['a request that had to wait has time left', queueWait + 1_000, responseDeadline],
    ['a response is sent in time', responseDeadline, requestEnd],
    ['all writes of a request are visible, on any clock', requestEnd + writeTimeLimit + clockTolerance, writesVisible],
    ['a lease lasts longer than its last request', deliveryTurn + deliveryTimeLimit + requestEnd, endpointLease],
    ['an erasure waits for requests and deliveries', Math.max(writesVisible, endpointLease), erasureSettled],
    ['a cursor does not outlive the rows of deleted records', windows.feedCursor, windows.feedTombstone - 1],
  ])('%s', (_what, shorter, longer) => {
    expect(longer).toBeGreaterThanOrEqual(shorter);
  });
});
