import { table } from '../support/figures.js';
import { labels } from './labels.js';
import { goals } from './outcome.js';

const mark = (isMet) => (isMet === undefined ? '' : isMet ? ' ✓' : ' ✗');
const namesOf = (contenders) => contenders.map((name) => labels[name]);

/** The tables of a run, in Markdown. */
export function tablesOf({ outcomes, footprint, met, machine, how }) {
  const who = Object.keys(outcomes[0].medians);
  return [
    sentenceOf(machine, how),
    `Requests a second, and this server by each peer (median of the pairs; goals: Express 1.0, with \`idem-key\` 0.8, Parse Server ${goals.parse.toFixed(1)}, with the rules and without):`,
    throughput(outcomes, who),
    'Milliseconds, p50 / p99, and this server’s p99 by Express’s (goal: at most 1.0):',
    latencies(outcomes, who),
    `Processor seconds for each 1,000 requests, server + mongod (the client took ${clientsOf(outcomes)} beside them):`,
    processor(outcomes, who),
    ...(footprint ? ['Memory and start (medians):', footprints(footprint, met)] : []),
  ].join('\n\n');
}

function sentenceOf(machine, { rounds, seconds, connections, sizes }) {
  const { processor: model, cores, loadBefore, memory, kernel, node, mongod, ...packages } = machine;
  const versions = Object.entries(packages).map(([name, version]) => `${name} ${version}`);
  return (
    `${model}, ${cores} cores for server, mongod and client together, ${memory}, ${kernel}; Node ${node}, mongod ${mongod}, ` +
    `${versions.join(', ')}. Load average before the run: ${loadBefore.toFixed(1)}. ${rounds} rounds of ${seconds} s for each operation and contender, ${connections} connections; ` +
    `${sizes.teams} teams, ${sizes.schedules.toLocaleString('en')} schedules, of these ${sizes.upcoming.toLocaleString('en')} upcoming and ${sizes.live} live.`
  );
}

function throughput(outcomes, who) {
  const peers = who.slice(1);
  const head = ['operation', ...namesOf(who), ...namesOf(peers).map((label) => `by ${label}`)];
  const rows = outcomes.map(({ label, medians, ratios, met }) => [
    label,
    ...who.map((name) => medians[name].perSecond.toFixed(0)),
    ...peers.map((name) => `${ratios[name].perSecond.toFixed(2)}${mark(met[name])}`),
  ]);
  return table(head, rows);
}

function latencies(outcomes, who) {
  const isBeside = who.includes('express');
  const head = ['operation', ...namesOf(who), ...(isBeside ? ['p99 by Express'] : [])];
  const rows = outcomes.map(({ label, medians, ratios, met }) => [
    label,
    ...who.map((name) => `${medians[name].p50.toFixed(1)} / ${medians[name].p99.toFixed(1)}`),
    ...(isBeside ? [`${ratios.express.p99.toFixed(2)}${mark(met.p99)}`] : []),
  ]);
  return table(head, rows);
}

function processor(outcomes, who) {
  const peers = who.slice(1);
  const head = ['operation', ...namesOf(who), ...namesOf(peers).map((label) => `server’s by ${label}`)];
  const rows = outcomes.map(({ label, medians, ratios }) => [
    label,
    ...who.map((name) => `${medians[name].server.toFixed(2)} + ${medians[name].mongod.toFixed(2)}`),
    ...peers.map((name) => ratios[name].server.toFixed(2)),
  ]);
  return table(head, rows);
}

/** The least and the most that the client took of anyone. */
function clientsOf(outcomes) {
  const all = outcomes.flatMap(({ medians }) => Object.values(medians).map(({ client }) => client));
  return `${Math.min(...all).toFixed(2)} to ${Math.max(...all).toFixed(2)}`;
}

function footprints(footprint, met) {
  const head = ['', ...namesOf(Object.keys(footprint)), 'goal'];
  const each = Object.values(footprint);
  const megabytes = (field) => each.map((figures) => figures[field].toFixed(0));
  return table(head, [
    ['ready after, ms', ...each.map(({ ready }) => ready.toFixed(0)), `under 1,500${mark(met.ready)}`],
    ['resident at rest after the start, MB', ...megabytes('idle'), `under 150${mark(met.idle)}`],
    ['resident under load at most, MB', ...megabytes('most'), `at most 1.3 of Express’s${mark(met.load)}`],
  ]);
}
