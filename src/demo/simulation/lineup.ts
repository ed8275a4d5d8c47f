/** A player as far as a lineup asks. */
export interface RosterEntry {
  readonly id: string;
  /** The primary one first. */
  readonly position: readonly string[];
}

type Players = readonly [string, ...string[]];

/** Who does what in a game, as ids of players; in lists those who do it more often stand first. */
export interface Lineup {
  readonly quarterback: string;
  readonly receivers: Players;
  readonly carriers: Players;
  readonly defenders: Players;
  readonly rushers: Players;
  readonly coverage: Players;
  readonly punter: string;
  readonly returner: string;
}

const fewestPlayers = 5;

/**
 * The lineup that a roster gives by its positions; where nobody plays one, others stand in.
 * @returns undefined where there are too few players
 */
export function lineupOf(roster: readonly RosterEntry[]): Lineup | undefined {
  const playing = (...positions: string[]): string[] => {
    // Whoever plays it in the first place comes before those who can, too.
    const rank = ({ position }: RosterEntry) => position.findIndex((one) => positions.includes(one));
    const able = roster.filter((player) => rank(player) >= 0);
    return able.sort((one, other) => rank(one) - rank(other)).map(({ id }) => id);
  };
  const everyone = roster.map(({ id }) => id);
  const [quarterback = everyone[0]] = playing('QB');
  if (quarterback === undefined || everyone.length < fewestPlayers) return undefined;

  const without = (ids: readonly string[]) => ids.filter((id) => id !== quarterback);
  const others = without(everyone);
  const some = (ids: readonly string[], otherwise: readonly string[]): Players => {
    const [first = quarterback, ...rest] = ids.length > 0 ? ids : otherwise;
    return [first, ...rest];
  };
  // A set keeps the first place of those who play both.
  const eligible = new Set([...playing('WR', 'SLOT', 'TE', 'ATH'), ...playing('C', 'RB')]);
  const receivers = some(without([...eligible]), others);
  const defenders = some(without(playing('LB', 'CB', 'S', 'DB', 'RUSHER', 'DL')), others);
  return {
    quarterback,
    receivers,
    carriers: some([...without(playing('RB', 'SLOT')), quarterback], others),
    defenders,
    rushers: some(without(playing('RUSHER', 'DL')), defenders),
    coverage: some(without(playing('CB', 'S', 'DB')), defenders),
    punter: some(playing('P', 'K'), [quarterback])[0],
    returner: some(playing('RETURNER'), receivers)[0],
  };
}
