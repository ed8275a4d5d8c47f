/**
 * Every time, in milliseconds, on which correctness rests. A window must stay larger than what it waits for:
 *
 * ```
 * a change                                    a request                             a delivery of a webhook
 * ├ streamWait    0.1 s  a read of the        ├ queueWait         3 s  it starts     ├ deliveryTurn    5 s  the last one starts
 * │                      change stream waits  ├ responseDeadline 4.5 s nothing of    ├ + request      15 s  it ends
 * ├ cacheAge      0.3 s  no cache of any      │                        it is written └ endpointLease  30 s  another server may
 * │                      server has the old   ├ requestEnd        5 s  promised end                         send it
 * │                      record any more      └ writesVisible  15.5 s  what it wrote
 * └ revocation    0.5 s  promised for keys                             is seen, on any clock
 * ```
 */

/** How long MongoDB waits for a change before it returns an empty batch of the change stream. */
export const streamWait = 100;

/** How old the last completed read of the change stream may be, while caches are used. Below the 0.5 s of `revocation`. */
export const cacheAge = 300;

/** When a revoked key must be rejected by all servers, as promised to partners. */
export const revocation = 500;

/** After this time, a request authenticates again before it writes. The cached key can be as old as `cacheAge` then. */
export const authenticationAge = revocation - cacheAge;

/** How long a deletion waits before it counts a team's records: another server can still add some from its cache. */
export const teamDeletionWait = 1_000;

/** A deletion of a team that did not end within this time was interrupted: its request has ended long before. */
export const teamDeletionEnd = 10_000;

/** The longest write on the database. Below the time limit of the driver, so that the database gives up first. */
export const writeTimeLimit = 2_000;
export const socketTimeout = 2_500;

/** How long the driver looks for a primary, and for a free connection to it. */
export const driverWait = 1_500;

/** The longest wait of a request for its turn. */
export const queueWait = 3_000;

/** How long a request may take; it writes nothing afterwards. The remaining 0.5 s are for sending the response. */
export const responseDeadline = 4_500;

/** When each request has been answered, as promised to partners. */
export const requestEnd = 5_000;

/** By how much the clocks of servers and database may differ. NTP keeps them within one second; a warning begins here. */
export const clockTolerance = 2_000;

/** Until the driver sends a write again, which it does once: the wait for a connection, then for the socket and a primary. */
const sentAgain = driverWait + socketTimeout + 2 * driverWait;

/**
 * How long after its time stamp a write can become visible: it is sent before the deadline, perhaps again, applied within the
 * time limit, and stamped by a clock that differs. `GameUpdater` forgets the former names of a team then: earlier, a slow
 * request could still write one.
 */
export const writesVisible = responseDeadline + sentAgain + writeTimeLimit + clockTolerance;

/** For how long one server delivers to an endpoint before others may take their turn. */
export const deliveryTurn = 5_000;

/** The longest request to an endpoint. */
export const deliveryTimeLimit = 15_000;

/** How long an endpoint is leased: longer than the last request of a turn takes. */
export const endpointLease = 30_000;

/** After this time, nothing that began before an erasure writes any more; the delivery of a webhook takes longest. */
export const erasureSettled = endpointLease;

const day = 24 * 60 * 60 * 1_000;

/** For how long a repeated `idem-key` gets the first response. */
export const idempotency = day;

/** How long a cursor of the change feed is valid after its reader was up to date. */
export const feedCursor = 30 * day;

/** How long the change feed keeps the row of a deleted record: longer than a cursor is valid. */
export const feedTombstone = feedCursor + day;
