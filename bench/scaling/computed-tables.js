import { table } from '../support/figures.js';
import {
  million,
  most,
  oneOrganization,
  oneReplica,
  primaryCores,
  replicaSet,
  requestCost,
  shardedCluster,
} from './capacity.js';
import { connectionsToPrimary } from './database.js';
import { dollars, percent, rough, whole } from './formats.js';

/** What the page is computed from, each with its kind. */
export function inputsTable({ source, measured, assumed }) {
  const { members, databaseCores, dollarsPerCoreHour, zipfExponent } = assumed;
  const mix = Object.entries(assumed.mix).map(([label, share]) => `${label} ${percent(share)}`);
  return table(
    ['input', 'value', 'kind'],
    [
      ['processor time of server and mongod for each operation', `below; from ${source}`, 'measured'],
      ['on which machine the next ones were measured', measured.machine, ''],
      ['one check of argon2', `${measured.argon2Milliseconds} ms of a core`, 'measured'],
      [
        'one count in Redis',
        `${measured.redisMicroseconds} µs of Redis’ core; a server waits ${measured.countAloneMicroseconds} µs for one, and ${measured.countMicroseconds} µs for each of 50 at once (\`npm run bench:limits\`)`,
        'measured',
      ],
      ['one read of a presented key', `${measured.keyReadMicroseconds} µs of mongod`, 'measured'],
      [
        'one server that follows changes, with its heartbeats',
        `${measured.followerMicrosecondsPerSecond} µs of mongod each second, and ${measured.followerMicrosecondsPerWrite} µs for each write of anybody`,
        'measured',
      ],
      [
        'one remembered key; of it its checked secret',
        `${measured.bytesPerKey} bytes; ${measured.bytesPerSecret} bytes`,
        'measured',
      ],
      ['the mix', mix.join(', '), 'assumed'],
      [
        'how far a core is used',
        `servers ${percent(assumed.serverUtilisation)}, primary ${percent(assumed.databaseUtilisation)}`,
        'assumed',
      ],
      ['a replica set', `${members} members with ${databaseCores} cores each`, 'assumed'],
      [
        'what a write costs each secondary',
        `${percent(assumed.secondaryWriteShare)} of what it costs the primary`,
        'assumed',
      ],
      ['a server', `${assumed.serverCores} cores: one for JavaScript, the other for argon2`, 'assumed'],
      [
        'a read of its key, where it is not remembered',
        `${assumed.keyReadServerMilliseconds} ms of the server`,
        'assumed',
      ],
      ['traffic of organizations', `the n-th sends by 1/n^${zipfExponent} of what the first does`, 'assumed'],
      ['a core for an hour', `$${dollarsPerCoreHour}, with its memory`, 'assumed'],
    ],
  );
}

/** What each operation costs, and what a core of a server and a primary carry of it. */
export function operationsTable({ operations, mean, assumed }) {
  const budget = assumed.databaseCores * assumed.databaseUtilisation;
  const row = (label, cost) => {
    const { planned, most: atMost } = oneReplica(cost, assumed);
    const { server, mongod, secondaries, dollars: price } = million(cost, assumed);
    const seconds = [server, mongod, secondaries].map(whole);
    return [label, whole(atMost), whole(planned), whole(budget / cost.mongod), ...seconds, dollars(price)];
  };
  const head = ['operation', 'one server, all of a core', 'as planned', 'one primary, as planned'];
  return table(
    [...head, 'a million: server s', 'primary s', 'other members s', 'price'],
    [
      ...Object.keys(assumed.mix).map((label) => [label, requestCost(label, operations[label], assumed)]),
      ['**the mix**', mean],
    ].map(([label, cost]) => row(label, cost)),
  );
}

/** What the three sizes of deployment carry. */
export function deploymentsTable(context) {
  const { mean, assumed } = context;
  const set = replicaSet(context);
  const unfollowed = replicaSet({ ...context, isFollowed: false });
  const cores = (value) => `${value.toFixed(1)} cores`;
  const rows = [
    ['one server', rough(oneReplica(mean, assumed).planned), '1', 'its core'],
    [
      ...['one replica set', rough(set.perSecond), whole(set.replicas)],
      `the primary: ${cores(set.requests)} for requests, ${cores(set.followers)} for the servers that follow changes`,
    ],
    [
      ...['the same, if following cost nothing', rough(unfollowed.perSecond), whole(unfollowed.replicas)],
      'the primary, by requests',
    ],
  ];
  for (const shards of [2, 4, 8, 16]) {
    const beside = shardedCluster(shards, context);
    const apart = shardedCluster(shards, context, { keysApart: true });
    rows.push(
      [`${shards} shards`, rough(beside.perSecond), whole(beside.replicas), beside.full],
      [`${shards} shards, of which one has the keys alone`, rough(apart.perSecond), whole(apart.replicas), apart.full],
    );
  }
  return table(['deployment', 'requests a second of the mix', 'servers', 'what is full first'], rows);
}

/** Where the next limit lies, by the traffic at which it is met. */
export function stepsTable(context) {
  const { measured, assumed, planned } = context;
  const budget = assumed.databaseCores * assumed.databaseUtilisation;
  const organization = oneOrganization(context);
  const connections = Math.floor(3_000 / connectionsToPrimary);
  const tenth = most((rate) => primaryCores(rate, context).followers <= budget / 10);
  const steps = [
    [planned, 'the core of one server', 'more servers; nothing else to set'],
    [
      ...[connections * planned, `connections: ${connections} servers are the 3,000 of an Atlas M30`],
      'a lower `MAX_REQUESTS_IN_FLIGHT`, which bounds the pool, or a larger tier',
    ],
    [
      ...[tenth, 'following changes takes a tenth of what the primary has to give'],
      'one follower for several processes, or followers on a secondary: see below',
    ],
    [replicaSet(context).perSecond, 'the primary of one replica set', 'more cores for the members first, then shards'],
    [
      ...[
        organization.perSecond,
        `one organization that fills a shard: ${whole(organization.keys)} keys at all their limits`,
      ],
      'a shard of its own, with more cores; it cannot be split',
    ],
    [
      ...[(budget * 1e6) / measured.keyReadMicroseconds, 'the shard of the keys: every request reads one there'],
      'keys that are remembered behind `mongos`, too: see below',
    ],
    [
      ...[(1e6 / measured.redisMicroseconds) * assumed.databaseUtilisation, 'the core of one Redis'],
      'a cluster of Redis: each count is one key, so it can be spread',
    ],
  ];
  return table(
    ['from requests a second of the mix', 'what is full', 'what to do then'],
    steps.sort(([one], [other]) => one - other).map(([rate, ...texts]) => [rough(rate), ...texts]),
  );
}

/** When one Redis is full. */
export function redisTable({ planned, measured, assumed }, replicaCounts) {
  const full = 1e6 / measured.redisMicroseconds;
  const rows = replicaCounts.map((replicas) => [
    whole(replicas),
    whole(planned * replicas),
    percent((planned * replicas) / full),
  ]);
  const servers = (full * assumed.databaseUtilisation) / planned;
  return [
    table(['servers, as planned', 'counts a second', 'of Redis’ core'], rows),
    `One Redis counts ${rough(full)} times a second by its own processor time (${rough(1e6 / measured.countMicroseconds)} by what 50 counts at once take a server, each ${measured.countMicroseconds} µs; one alone takes ${measured.countAloneMicroseconds} µs). At ${percent(assumed.databaseUtilisation)} it serves **${rough(servers)} servers**.`,
  ].join('\n\n');
}

/** What servers ask of the primary beside the requests. */
export function databaseTable(rows) {
  return table(
    [
      'servers',
      'requests a second, as planned',
      'questions for changes a second',
      'heartbeats',
      'uses of keys written',
      'cores of the primary at rest',
      'with the mix’s writes',
      'connections at most',
    ],
    rows.map(({ replicas, perSecond, asks, heartbeats, usage, atRest, withWrites, connections }) => [
      ...[replicas, perSecond, asks, heartbeats, usage].map(whole),
      ...[atRest, withWrites].map((cores) => cores.toFixed(2)),
      whole(connections),
    ]),
  );
}

/** How many servers fit under limits of connections that others publish. */
export function connectionsTable({ planned }) {
  const limits = [
    ['Atlas M10', 1_500],
    ['Atlas M20, M30', 3_000],
    ['Atlas M40', 6_000],
    ['Atlas M50', 16_000],
    ['`mongod`, documented default', 65_536],
  ];
  return table(
    ['limit of a node', 'connections', `servers at ${connectionsToPrimary} each`, 'requests a second, as planned'],
    limits.map(([name, connections]) => {
      const servers = Math.floor(connections / connectionsToPrimary);
      return [name, whole(connections), whole(servers), rough(servers * planned)];
    }),
  );
}
