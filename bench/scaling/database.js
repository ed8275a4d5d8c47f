import { poolSize } from '../../dist/database/connection-options.js';
import { followerCores } from './capacity.js';
import { differentKeys } from './keys.js';

/** `MAX_REQUESTS_IN_FLIGHT` as it is by default. */
const inFlight = 256;
/** The pool of the requests, and the client of the follower. */
const clients = 2;
/** Each client watches each member over one connection, and measures its distance over another. */
const watchingPerMember = clients * 2;
/** Of one server to the primary at most: its pool, the follower's one, and what watches. */
export const connectionsToPrimary = poolSize(inFlight) + 1 + watchingPerMember;
/** A server asks for changes every 0.1 s; a heartbeat and a ping of each watching pair come each second. */
const asksPerSecond = 10;
const heartbeatsPerSecond = watchingPerMember;
const usageSeconds = 60;

/** What `replicas` servers ask of the primary beside the requests, each second. */
export function background({ replicas, writes, rates, measured }) {
  const usage = (replicas * differentKeys(rates, replicas, usageSeconds)) / usageSeconds;
  return {
    asks: replicas * asksPerSecond,
    heartbeats: replicas * heartbeatsPerSecond,
    usage,
    atRest: followerCores({ replicas, writes: 0, measured }),
    withWrites: followerCores({ replicas, writes: writes + usage, measured }),
    connections: replicas * connectionsToPrimary,
  };
}
