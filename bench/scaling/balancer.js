const policies = {
  /** The one with the fewest requests under way, by lot among equals: as `deploy/caddy/Caddyfile` does it. */
  'least connections': ({ underWay, random }) => {
    let chosen = 0;
    let equals = 0;
    underWay.forEach((count, replica) => {
      if (count > underWay[chosen]) return;
      equals = count < underWay[chosen] ? 1 : equals + 1;
      if (random() * equals < 1) chosen = replica;
    });
    return chosen;
  },
  /** One after the other. */
  'round robin': ({ underWay, taken }) => taken % underWay.length,
};

/** Sends requests to replicas. `take` tells which one gets the next; `release` that one of its requests was answered. */
export function balancer(policy, replicas, random) {
  const state = { underWay: new Array(replicas).fill(0), taken: 0, random };
  return {
    take() {
      const replica = policies[policy](state);
      state.underWay[replica]++;
      state.taken++;
      return replica;
    },
    release: (replica) => void state.underWay[replica]--,
  };
}
