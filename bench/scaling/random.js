/** Numbers from 0 to below 1 that are the same for the same seed (Mulberry32). */
export function randomNumbers(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** The time to the next of events that come by chance, by their mean distance. */
export function exponential(random, mean) {
  return -Math.log(1 - random()) * mean;
}

/**
 * Rates of `count` callers that follow Zipf's law (the n-th sends by 1/n^exponent of what the first does), `total` together. None
 * sends more than `most`: what is beyond goes to the others in their proportion.
 */
export function zipfRates({ count, total, exponent, most }) {
  const weights = Float64Array.from({ length: count }, (_none, index) => (index + 1) ** -exponent);
  if (total > count * most) throw new RangeError(`${count} callers cannot send ${total}`);
  let rest = weights.reduce((sum, weight) => sum + weight, 0);
  let left = total;
  let capped = 0;
  while (capped < count && (weights[capped] / rest) * left > most) {
    rest -= weights[capped];
    left -= most;
    capped++;
  }
  return weights.map((weight, index) => (index < capped ? most : (weight / rest) * left));
}

/** Draws the places of `rates`, each as often as its rate says, in constant time (Vose's alias method). */
export function sampler(rates, random) {
  const count = rates.length;
  const mean = rates.reduce((sum, rate) => sum + rate, 0) / count;
  const share = Float64Array.from(rates, (rate) => rate / mean);
  const alias = Uint32Array.from({ length: count }, (_none, index) => index);
  const small = [];
  const large = [];
  share.forEach((value, index) => (value < 1 ? small : large).push(index));
  while (small.length > 0 && large.length > 0) {
    const low = small.pop();
    const high = large[large.length - 1];
    alias[low] = high;
    share[high] -= 1 - share[low];
    if (share[high] < 1) small.push(large.pop());
  }
  return () => {
    const place = Math.floor(random() * count);
    return random() < share[place] || alias[place] === place ? place : alias[place];
  };
}
