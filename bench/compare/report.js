import { table } from '../support/figures.js';
import { contenders } from './contenders.js';
import { goals } from './outcome.js';

const mark = (isMet) => (isMet === undefined ? '' : isMet ? ' ✓' : ' ✗');
const labelOf = (name) => contenders[name].label;

/** Formats the tables of a run as Markdown. */
export function tablesOf({ outcomes, footprint, met, machine, how }) {
  const peers = Object.keys(outcomes[0].ratios);
  const fewest = Math.min(...outcomes.map(({ connections }) => connections));
  return [
    describe(machine, how),
    `Requests per second of this server, and its ratio to each peer (median of the rounds' ratios; goals: ${peers
      .map((name) => `${labelOf(name)} ${goals.perSecond[name]}`)
      .join(', ')}; p99 and CPU time at most ${goals.p99} and ${goals.server} of Express's):`,
    comparison(outcomes, peers),
    `Milliseconds of CPU time per request at ${fewest} connections, server + mongod (the client took ${clientsOf(outcomes)}):`,
    cpuTimes(
      outcomes.filter(({ connections }) => connections === fewest),
      peers,
    ),
    ...(footprint ? ['Memory and start (medians):', footprints(footprint, met)] : []),
  ].join('\n\n');
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

function comparison(outcomes, peers) {
  const beside = peers.includes('express');
  const head = [
    'operation',
    'connections',
    'requests/s',
    ...peers.map((name) => `by ${labelOf(name)}`),
    'p50 / p99 ms',
  ];
  const rows = outcomes.map(({ label, connections, medians: { ours }, ratios, met }) => [
    label,
    connections,
    ours.perSecond.toFixed(0),
    ...peers.map((name) => `${ratios[name].perSecond.toFixed(2)}${mark(met[name])}`),
    `${ours.p50.toFixed(1)} / ${ours.p99.toFixed(1)}`,
    ...(beside
      ? [ratios.express.p99.toFixed(2) + mark(met.p99), ratios.express.server.toFixed(2) + mark(met.server)]
      : []),
  ]);
  return table([...head, ...(beside ? ['p99 by Express', 'CPU by Express'] : [])], rows);
}

function cpuTimes(outcomes, peers) {
  const who = ['ours', ...peers];
  const rows = outcomes.map(({ label, medians }) => [
    label,
    ...who.map((name) => `${medians[name].server.toFixed(2)} + ${medians[name].mongod.toFixed(2)}`),
  ]);
  return table(['operation', ...who.map(labelOf)], rows);
}

/** Returns the minimum and maximum CPU time of the client. */
function clientsOf(outcomes) {
  const all = outcomes.flatMap(({ medians }) => Object.values(medians).map(({ client }) => client));
  return `${Math.min(...all).toFixed(2)} to ${Math.max(...all).toFixed(2)}`;
}

function footprints(footprint, met) {
  const figures = (field) => Object.values(footprint).map((each) => each[field].toFixed(0));
  return table(
    ['', ...Object.keys(footprint).map(labelOf), 'goal'],
    [
      ['ready after, ms', ...figures('ready'), `at most ${goals.readyMilliseconds}${mark(met.ready)}`],
      ['resident at rest after the start, MB', ...figures('idle'), ''],
      ['resident under load at most, MB', ...figures('most'), `at most ${goals.loadMegabytes}${mark(met.load)}`],
    ],
  );
}
