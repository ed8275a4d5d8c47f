import { table } from '../support/figures.js';
import { contenders } from './contenders.js';
import { goals } from './outcome.js';

const mark = (isMet) => (isMet === false ? ' ✗' : '');
const labelOf = (name) => contenders[name].label;

/** Formats the tables of a run as Markdown. */
export function tablesOf({ outcomes, footprint, met, machine, how }) {
  const peers = Object.keys(outcomes[0].ratios);
  const connections = [...new Set(outcomes.map((each) => each.connections))];
  return [
    describe(machine, how),
    `Figures at ${connections.join(', ')} connections: requests per second of this server, and its ratio to each peer (median of the rounds' ratios; goals: ${goalsOf(peers)}). CPU time is that of server+mongod, at ${connections[0]} connections.`,
    comparison(outcomes, peers),
    ...(footprint ? ['Memory and start (medians):', footprints(footprint, met)] : []),
  ].join('\n\n');
}

function goalsOf(peers) {
  const perSecond = peers.map((name) => `${labelOf(name)} ${goals.perSecond[name]}`);
  return `${perSecond.join(', ')}; p99 and CPU time at most ${goals.p99} and ${goals.server} of Express's`;
}

function describe(machine, { rounds, seconds, sizes }) {
  const { processor: model, cores, loadBefore, memory, kernel, node, mongod, ...packages } = machine;
  const versions = Object.entries(packages).map(([name, version]) => `${name} ${version}`);
  return (
    `${model}, ${cores} cores for server, mongod and client together, ${memory}, ${kernel}; Node ${node}, mongod ${mongod}, ` +
    `${versions.join(', ')}. Load average before the run: ${loadBefore.toFixed(1)}. ${rounds} rounds of ${seconds} s for each ` +
    `operation, number of connections and contender; ${sizes.teams} teams, ${sizes.schedules.toLocaleString('en')} schedules, ` +
    `${sizes.upcoming.toLocaleString('en')} of them upcoming and ${sizes.live} live.`
  );
}

/** One row for each operation, with the figures at each number of connections. */
function comparison(outcomes, peers) {
  const beside = peers.includes('express');
  const columns = [
    ['requests/s', ({ medians: { ours } }) => ours.perSecond.toFixed(0)],
    ...peers.map((name) => [
      `by ${labelOf(name)}`,
      ({ ratios, met }) => ratios[name].perSecond.toFixed(2) + mark(met[name]),
    ]),
    ['p50/p99 ms', ({ medians: { ours } }) => `${ours.p50.toFixed(1)}/${ours.p99.toFixed(1)}`],
    ...(beside
      ? [
          ['p99 by Express', ({ ratios, met }) => ratios.express.p99.toFixed(2) + mark(met.p99)],
          ['CPU by Express', ({ ratios, met }) => ratios.express.server.toFixed(2) + mark(met.server)],
        ]
      : []),
  ];
  const rows = [...Map.groupBy(outcomes, ({ label }) => label)].map(([label, own]) => [
    label,
    ...columns.map(([, format]) => own.map(format).join(', ')),
    `${own[0].medians.ours.server.toFixed(2)}+${own[0].medians.ours.mongod.toFixed(2)}`,
  ]);
  return table(['operation', ...columns.map(([head]) => head), 'CPU ms/request'], rows);
}

function footprints(footprint, met) {
  const figures = (field) => Object.values(footprint).map((each) => each[field].toFixed(0));
  return table(
    ['', ...Object.keys(footprint).map(labelOf), 'goal'],
    [
      ['ready after, ms', ...figures('ready'), `at most ${goals.readyMilliseconds}${mark(met.ready)}`],
      ['resident at rest after the start, MB', ...figures('idle'), ''],
      ['resident under load at most, MB', ...figures('most'), `at most ${goals.load} of Express's${mark(met.load)}`],
    ],
  );
}
