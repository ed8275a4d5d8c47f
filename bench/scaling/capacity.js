import { mostPerKey } from './keys.js';

const isWrite = (label) => !label.startsWith('GET ');

/** What one request of the mix costs on average: processor seconds of `server`, `mongod` and of the other members, and `writes`. */
export function meanRequest({ operations, assumed: { mix, members, secondaryWriteShare } }) {
  const mean = { server: 0, mongod: 0, secondaries: 0, writes: 0 };
  for (const [label, share] of Object.entries(mix)) {
    const cost = requestCost(label, operations[label], { members, secondaryWriteShare });
    for (const part of Object.keys(mean)) mean[part] += share * cost[part];
  }
  return mean;
}

/** The same of one operation. Reads are asked of the primary alone; what is written is written by each member. */
export function requestCost(label, { server, mongod }, { members, secondaryWriteShare }) {
  const writes = isWrite(label) ? 1 : 0;
  const secondaries = writes * (members - 1) * secondaryWriteShare * mongod;
  return { server: server / 1_000, mongod: mongod / 1_000, secondaries: secondaries / 1_000, writes };
}

/** Requests a second of one server on a core of its own: all of the core, and what to plan with. */
export function oneReplica({ server }, { serverUtilisation }) {
  return { most: 1 / server, planned: serverUtilisation / server };
}

/** Cores of the primary that `perSecond` requests take, with the servers that they need. */
export function primaryCores(perSecond, { mean, measured, assumed, isFollowed = true }) {
  const replicas = Math.ceil(perSecond / oneReplica(mean, assumed).planned);
  const followers = isFollowed ? followerCores({ replicas, writes: perSecond * mean.writes, measured }) : 0;
  return { replicas, requests: perSecond * mean.mongod, followers };
}

/** Cores that the servers' followers of changes take of the primary, with the heartbeats beside them. */
export function followerCores({ replicas, writes, measured }) {
  const { followerMicrosecondsPerSecond: rest, followerMicrosecondsPerWrite: past } = measured;
  return (replicas * (rest + writes * past)) / 1e6;
}

/** The most requests a second for which `fits` holds, to one in ten thousand. */
export function most(fits) {
  let [low, high] = [0, 1];
  while (fits(high)) [low, high] = [high, high * 2];
  while (high - low > high / 10_000) {
    const middle = (low + high) / 2;
    if (fits(middle)) low = middle;
    else high = middle;
  }
  return low;
}

/** What one replica set carries. */
export function replicaSet(context) {
  const { databaseCores, databaseUtilisation } = context.assumed;
  const budget = databaseCores * databaseUtilisation;
  const perSecond = most((rate) => {
    const { requests, followers } = primaryCores(rate, context);
    return requests + followers <= budget;
  });
  return { perSecond, ...primaryCores(perSecond, context) };
}

/**
 * What a cluster of equal shards carries, the organizations evenly on them: each request reads its key on the primary shard, as changes
 * cannot be followed. `keysApart`: the primary shard holds no organizations.
 */
export function shardedCluster(shards, { mean, measured, assumed }, { keysApart = false } = {}) {
  const budget = assumed.databaseCores * assumed.databaseUtilisation;
  const keyRead = measured.keyReadMicroseconds / 1e6;
  const holding = keysApart ? shards - 1 : shards;
  const others = (budget * holding) / mean.mongod;
  const primaryShard = keysApart ? budget / keyRead : budget / (keyRead + mean.mongod / shards);
  const perSecond = Math.min(others, primaryShard);
  const keys = keysApart ? 'the shard with the keys' : 'the primary shard, where every request reads its key';
  const full = primaryShard < others ? keys : 'the other shards';
  const server = mean.server + assumed.keyReadServerMilliseconds / 1_000;
  return { perSecond, full, replicas: Math.ceil((perSecond * server) / assumed.serverUtilisation) };
}

/** What one organization carries at most, all of it on one shard, and with how many keys at their limits. */
export function oneOrganization({ mean, assumed }) {
  const perSecond = (assumed.databaseCores * assumed.databaseUtilisation) / mean.mongod;
  return { perSecond, perKey: mostPerKey, keys: Math.ceil(perSecond / mostPerKey) };
}

/** What a million requests cost: processor seconds, and dollars of cores that are used as far as is planned. */
export function million({ server, mongod, secondaries }, assumed) {
  const seconds = { server: server * 1e6, mongod: mongod * 1e6, secondaries: secondaries * 1e6 };
  const hours =
    seconds.server / assumed.serverUtilisation + (seconds.mongod + seconds.secondaries) / assumed.databaseUtilisation;
  return { ...seconds, dollars: (hours / 3_600) * assumed.dollarsPerCoreHour };
}
