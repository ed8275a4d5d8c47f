import { median } from '../support/figures.js';

/** What is asked of this server; beside the bare Express one each operation says what its ratio must be at least. */
export const goals = {
  parse: 2,
  p99: 1,
  idleMegabytes: 150,
  loadMegabytes: 1.3,
  readyMilliseconds: 1_500,
};
/** Whom the goal beside Parse Server is for. */
const parsePeers = ['parse', 'parseRules'];
const figures = ['perSecond', 'p50', 'p99', 'server', 'mongod', 'client'];

/**
 * The outcome of one operation, of `turns` by contender, a turn of each round: medians, and for each peer the medians of the pairs of
 * rounds, this server's figure by the peer's.
 */
export function outcomeOf({ label, least }, turns) {
  const medians = Object.entries(turns).map(([who, rounds]) => [
    who,
    Object.fromEntries(figures.map((figure) => [figure, median(rounds.map((round) => round[figure]))])),
  ]);
  const peers = Object.keys(turns).filter((who) => who !== 'ours');
  const ratio = (who, figure) => median(turns[who].map((round, place) => turns.ours[place][figure] / round[figure]));
  const ratios = Object.fromEntries(
    peers.map((who) => [who, Object.fromEntries(figures.map((figure) => [figure, ratio(who, figure)]))]),
  );
  return { label, least, medians: Object.fromEntries(medians), ratios, met: metBy(ratios, least) };
}

/** Which goals the ratios meet; of a peer that was not measured nothing is said. */
function metBy(ratios, least) {
  const { express } = ratios;
  const measured = parsePeers.filter((who) => ratios[who]);
  return {
    ...(express && { express: express.perSecond >= least, p99: express.p99 <= goals.p99 }),
    ...Object.fromEntries(measured.map((who) => [who, ratios[who].perSecond >= goals.parse])),
  };
}

/** Memory and time to get ready by contender, with what of the goals is met. */
export function footprintOf(starts, most) {
  const each = Object.entries(starts).map(([who, list]) => [
    who,
    {
      ready: median(list.map(({ ready }) => ready)),
      idle: median(list.map(({ idle }) => idle)),
      most: most[who],
    },
  ]);
  const footprint = Object.fromEntries(each);
  const { ours, express } = footprint;
  const met = {
    idle: ours.idle < goals.idleMegabytes,
    ready: ours.ready < goals.readyMilliseconds,
    ...(express && { load: ours.most <= express.most * goals.loadMegabytes }),
  };
  return { footprint, met };
}
