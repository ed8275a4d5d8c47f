import { table } from '../support/figures.js';
import { megabytes, percent, rough, whole } from './formats.js';

/** What keys get through in a minute. */
export function limitsTable(rows) {
  const head = ['asks a minute', 'servers', 'shared Redis', 'no Redis', 'no Redis, round robin'];
  return table(
    [...head, 'Redis away: first minute', 'each further minute', 'back: first minute'],
    rows.map(({ perMinute, replicas, there, none, noneInTurn, first, later, back }) =>
      [perMinute, replicas, there, none, noneInTurn, first, later, back].map(whole),
    ),
  );
}

/** What remembering keys saves. */
export function keysTable(rows, { argon2Milliseconds, bytesPerKey, bytesPerSecret }, { records, secrets }) {
  const [{ startSeconds, perSecond: traffic }] = rows;
  const cells = rows.map(({ organizations, replicas, start, long, perSecond }) => [
    whole(organizations),
    whole(replicas),
    percent(1 - start.read),
    percent(1 - start.first),
    ((start.firsts * replicas) / startSeconds).toFixed(1),
    percent(1 - long.read),
    percent(1 - long.first),
    whole(long.first * perSecond),
    ((long.first * perSecond * argon2Milliseconds) / 1_000).toFixed(1),
  ]);
  const early = `first ${startSeconds / 60} minutes after a start`;
  const head = [
    ...[
      'organizations',
      'servers',
      `${early}: record remembered`,
      'secret remembered',
      'first checks a second, all servers',
    ],
    ...[
      'in the long run: record remembered',
      'secret remembered',
      'first checks a second, all servers',
      'cores for them',
    ],
  ];
  const bound = [
    `${whole(traffic)} requests a second to all servers together. A server remembers the records of at most ${whole(records)} keys,`,
    `which take ${megabytes(records * (bytesPerKey - bytesPerSecret))}, and that ${whole(secrets)} secrets are right, which takes ${megabytes(secrets * bytesPerSecret)}.`,
  ];
  return `${bound.join(' ')}\n\n${table(head, cells)}`;
}

/** Other rules of remembering. */
export function rulesTable(rows, { argon2Milliseconds, bytesPerSecret }, { serverCores }) {
  const checks = (Math.max(1, serverCores - 1) * 1_000) / argon2Milliseconds;
  const carried = (first) => (first < 1e-4 ? 'not bounded by it' : rough(checks / first));
  return table(
    ['100,000 organizations', 'first checks, of requests', 'what argon2 lets one server carry', 'memory for secrets'],
    rows.map(({ rule, first, secrets }) => [rule, percent(first), carried(first), megabytes(secrets * bytesPerSecret)]),
  );
}

/** What a server's new start is like. */
export function restartTable(rows) {
  const cells = ({ requests, refused, p99, busySeconds }) => [
    `${whole(busySeconds)} s`,
    refused === 0 ? 'none' : `${whole(refused)} of ${whole(requests)}`,
    whole(p99),
  ];
  const of = (policy) => [`${policy}: argon2 full for`, 'refused', 'p99 of the wait, ms'];
  return table(
    ['organizations', 'servers', ...of('least connections'), ...of('round robin')],
    rows.map(({ organizations, replicas, fewest, turns }) => [
      whole(organizations),
      whole(replicas),
      ...cells(fewest),
      ...cells(turns),
    ]),
  );
}
