import { median } from '../support/figures.js';

/** The goals: ratios of this server's figures to those of the peer (memory under load: Express), and milliseconds until ready. */
export const goals = {
  perSecond: { nest: 1.3, express: 1, fastify: 0.95, parse: 2 },
  p99: 1,
  server: 1.05,
  load: 1.2,
  readyMilliseconds: 1_500,
};
const figures = ['perSecond', 'p50', 'p99', 'server', 'mongod', 'client'];

/**
 * Returns the outcome of one operation at one number of connections, from one turn per round and contender: medians,
 * and for each peer the medians of the rounds' ratios of this server's figures to the peer's.
 */
export function outcomeOf(label, connections, turns) {
  const medians = Object.entries(turns).map(([who, rounds]) => [
    who,
    Object.fromEntries(figures.map((figure) => [figure, median(rounds.map((round) => round[figure]))])),
  ]);
  const peers = Object.keys(turns).filter((who) => who !== 'ours');
  const ratio = (who, figure) => median(turns[who].map((round, index) => turns.ours[index][figure] / round[figure]));
  const ratios = Object.fromEntries(
    peers.map((who) => [who, Object.fromEntries(figures.map((figure) => [figure, ratio(who, figure)]))]),
  );
  return { label, connections, medians: Object.fromEntries(medians), ratios, met: metBy(ratios) };
}

/** Returns which goals the ratios meet; a peer that was not measured has none. */
function metBy(ratios) {
  const { express } = ratios;
  const perSecond = Object.keys(ratios).map((who) => [who, ratios[who].perSecond >= goals.perSecond[who]]);
  return {
    ...Object.fromEntries(perSecond),
    ...(express && { p99: express.p99 <= goals.p99, server: express.server <= goals.server }),
  };
}

/** Returns memory and time until ready by contender, and the goals that this server meets. */
export function footprintOf(starts, most) {
  const each = Object.entries(starts).map(([who, list]) => [
    who,
    { ready: median(list.map(({ ready }) => ready)), idle: median(list.map(({ idle }) => idle)), most: most[who] },
  ]);
  const footprint = Object.fromEntries(each);
  const { ready, most: load } = footprint.ours;
  const met = { ready: ready <= goals.readyMilliseconds, load: load <= goals.load * (most.express ?? Infinity) };
  return { footprint, met };
}
