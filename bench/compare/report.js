import { table } from '../support/figures.js';
import { contenders } from './contenders.js';
import { goals } from './outcome.js';

/** Has the figures of all numbers of connections. */
export const figuresFile = 'bench/comparison.json';

const mark = (isMet) => (isMet === false ? ' ✗' : '');
const labelOf = (name) => contenders[name].label;

/** Formats the tables of a run as Markdown. */
export function tablesOf({ outcomes, footprint, met, machine, how }) {
  const peers = Object.keys(outcomes[0].ratios);
  const connections = [...new Set(outcomes.map((each) => each.connections))];
  return [
    describe(machine, how),
    `At ${connections[0]} connections: requests per second of this server, and its ratio to each peer (goals: ${goalsOf(peers)}). \`${figuresFile}\` has the figures at ${connections.join(', ')} connections.`,
    comparison(
      outcomes.filter((each) => each.connections === connections[0]),
      peers,
    ),
    ...(footprint ? [footprints(footprint, met)] : []),
  ].join('\n\n');
}

function goalsOf(peers) {
  const perSecond = peers.map((name) => `${labelOf(name)} ${goals.perSecond[name]}`);
  return `${perSecond.join(', ')}; CPU time of server and mongod at most ${goals.server} of Express's`;
}

function describe(machine, { rounds, seconds, sizes }) {
  const { processor: model, cores, loadBefore, memory, kernel, node, mongod } = machine;
  return (
    `${model}, ${cores} cores for server, mongod and client together, ${memory}, ${kernel}; Node ${node}, mongod ${mongod}. ` +
    `Load average before the run: ${loadBefore.toFixed(1)}. ${rounds} rounds of ${seconds} s for each ` +
    `operation, number of connections and contender; ${sizes.teams} teams, ${sizes.schedules.toLocaleString('en')} schedules, ` +
    `${sizes.upcoming.toLocaleString('en')} of them upcoming and ${sizes.live} live.`
  );
}

/** One row for each operation. */
function comparison(outcomes, peers) {
  const beside = peers.includes('express');
  const columns = [
    ['operation', ({ label }) => label],
    ['requests/s', ({ medians: { ours } }) => ours.perSecond.toFixed(0)],
    ...peers.map((name) => [
      `by ${labelOf(name)}`,
      ({ ratios, met }) => ratios[name].perSecond.toFixed(2) + mark(met[name]),
    ]),
    ['p99 ms', ({ medians: { ours } }) => ours.p99.toFixed(1)],
    ...(beside ? [['CPU by Express', ({ ratios, met }) => ratios.express.server.toFixed(2) + mark(met.server)]] : []),
  ];
  const rows = outcomes.map((each) => columns.map(([, format]) => format(each)));
  return table(
    columns.map(([head]) => head),
    rows,
  );
}

/** Returns the figures of all numbers of connections, by operation. */
export function figuresOf(outcomes) {
  const figures = {};
  for (const { label, connections, medians, ratios } of outcomes) {
    const { perSecond, p50, p99 } = medians.ours;
    const perSecondBy = Object.entries(ratios).map(([name, ratio]) => [name, rounded(ratio.perSecond, 2)]);
    const { p99: p99ByExpress, server: cpuByExpress } = ratios.express ?? {};
    figures[label] ??= {};
    figures[label][connections] = {
      perSecond: rounded(perSecond, 0),
      ratios: Object.fromEntries(perSecondBy),
      ...{ p50: rounded(p50, 1), p99: rounded(p99, 1) },
      ...(ratios.express && { p99ByExpress: rounded(p99ByExpress, 2), cpuByExpress: rounded(cpuByExpress, 2) }),
    };
  }
  return figures;
}

const rounded = (value, digits) => Number(value.toFixed(digits));

/** Returns memory and time until ready, and those of the peers in brackets. */
function footprints({ ours, ...peers }, met) {
  const beside = Object.entries(peers).map(([name, each]) => [labelOf(name).split(' ')[0], each]);
  const figures = (field) =>
    `${ours[field].toFixed(0)} (${beside.map(([label, each]) => `${label} ${each[field].toFixed(0)}`).join(', ')})`;
  return [
    `- Ready after ${figures('ready')} ms; goal: at most ${goals.readyMilliseconds}${mark(met.ready)}`,
    `- Resident at rest: ${figures('idle')} MB`,
    `- Resident under load: at most ${figures('most')} MB; goal: at most ${goals.load} of Express's${mark(met.load)}`,
  ].join('\n');
}
